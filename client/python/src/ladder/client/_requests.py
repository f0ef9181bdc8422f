"""From callers' options to the wire."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ladder.client.options import Method, Model, Outputs, Question, RoutingOptions
from ladder.v1 import domain_routing_pb2 as pb


def model_ref(model: str | Model) -> pb.ModelRef:
    chosen = Model(model) if isinstance(model, str) else model
    return pb.ModelRef(name=chosen.name, version=chosen.version, label=chosen.label)


def _routing_options(options: RoutingOptions) -> pb.RoutingOptions:
    fixed = options.fixed
    message = pb.RoutingOptions(
        method=pb.Method.Name(Method.FIXED if fixed is not None else options.method),
        tau=options.tau,
        gate_temperature=options.gate_temperature,
        fixed_by_source=fixed if isinstance(fixed, Mapping) else None,
        fixed=None if isinstance(fixed, Mapping) else fixed,
        sources=options.sources,
        skip_diagnostics=not options.diagnostics,
    )
    if options.k == "all":
        message.all_sources = True
    elif options.k is not None:
        message.k = options.k
    return message


def group_options(
    model: str | Model, routing: RoutingOptions, outputs: Outputs, route_after: int, fail_on_bad_sample: bool
) -> pb.GroupOptions:
    return pb.GroupOptions(
        model=model_ref(model),
        routing=_routing_options(routing),
        min_samples=routing.min_samples,
        fallback=pb.Fallback.Name(routing.fallback),
        soften_factor=routing.soften_factor,
        route_after=route_after,
        outputs=pb.OutputOptions(
            top_n=outputs.top_n,
            probabilities=outputs.probabilities,
            logits=outputs.logits,
            expert_probabilities=outputs.expert_probabilities,
            class_names=outputs.class_names,
        ),
        fail_on_bad_sample=fail_on_bad_sample,
    )


def first_route_request(group: str, questions: Iterable[Question], fail_on_bad_sample: bool) -> pb.RouteDomainRequest:
    return pb.RouteDomainRequest(
        group=group,
        questions=[
            pb.RouteQuestion(
                model=model_ref(question.model),
                routing=_routing_options(question.routing),
                min_samples=question.routing.min_samples,
                fallback=pb.Fallback.Name(question.routing.fallback),
                soften_factor=question.routing.soften_factor,
            )
            for question in questions
        ],
        fail_on_bad_sample=fail_on_bad_sample,
    )


def first_predict_request(group: str, options: pb.GroupOptions) -> pb.PredictDomainRequest:
    return pb.PredictDomainRequest(group=group, options=options)


def whole_group(
    group: str, options: pb.GroupOptions, chunks: Iterator[pb.Samples]
) -> Iterator[pb.PredictDomainRequest]:
    yield first_predict_request(group, options)
    for chunk in chunks:
        yield pb.PredictDomainRequest(group=group, samples=chunk)
    yield pb.PredictDomainRequest(group=group, end_of_group=True)


def whole_route(first: pb.RouteDomainRequest, chunks: Iterator[pb.Samples]) -> Iterator[pb.RouteDomainRequest]:
    yield first
    for chunk in chunks:
        yield pb.RouteDomainRequest(samples=chunk)
