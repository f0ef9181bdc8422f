"""What no schema says of the rendered manifests: that their parts fit together.

check_manifests.py FOLDER, with one NAME.yaml for each kustomization.
"""

import pathlib
import re
import sys

import yaml

ROOT = pathlib.Path(__file__).parents[2]


def load(path):
    with open(path, encoding='utf-8') as file:
        return {d['kind']: d for d in yaml.safe_load_all(file)}


def known_flags():
    text = (ROOT / 'docs/serving.md').read_text(encoding='utf-8')
    return set(re.findall(r'`(--[a-z0-9-]+)', text))


def check_flags(container):
    for argument in container['args']:
        flag = argument.split('=')[0]
        assert flag in known_flags(), f'{flag} is no flag of the server'


def check_hardened(container):
    security = container['securityContext']
    name = container['name']
    assert security['readOnlyRootFilesystem'] is True, name
    assert security['allowPrivilegeEscalation'] is False, name
    assert security['capabilities']['drop'] == ['ALL'], name
    assert container['resources']['limits']['memory'], name


def check_probes(container):
    for probe in 'startupProbe', 'livenessProbe', 'readinessProbe':
        assert container[probe]['grpc']['port'] == 8001, probe
    # A replica that cannot serve is left alone, not restarted.
    health = (ROOT / 'server/rpc/health.h').read_text(encoding='utf-8')
    [live] = re.findall(r'kLive\[\] = "(\w+)"', health)
    for probe in 'startupProbe', 'livenessProbe':
        assert container[probe]['grpc'].get('service') == live, probe
    assert 'service' not in container['readinessProbe']['grpc']


def server_of(deployment):
    return deployment['spec']['template']['spec']['containers'][0]


def check_deployment(documents):
    deployment = documents['Deployment']
    pod = deployment['spec']['template']
    server = server_of(deployment)
    check_flags(server)
    check_probes(server)
    for container in pod['spec'].get('initContainers', []) + [server]:
        check_hardened(container)
    assert pod['spec']['securityContext']['runAsNonRoot'] is True

    arguments = dict(a.lstrip('-').split('=') for a in server['args'])
    pause = int(server['lifecycle']['preStop']['exec']['command'][1])
    drain = int(arguments['exit-timeout-secs'])
    grace = pod['spec']['terminationGracePeriodSeconds']
    stop = pause + drain + 10  # What a stop may take on top.
    assert grace > stop, f'{grace} s of grace for {stop} s'

    mounts = {m['mountPath']: m for m in server['volumeMounts']}
    assert mounts[arguments['model-repository']]['readOnly'] is True
    volumes = {v['name']: v for v in pod['spec']['volumes']}
    models = volumes[mounts[arguments['model-repository']]['name']]
    claim = models.get('persistentVolumeClaim')
    if claim:
        name = documents['PersistentVolumeClaim']['metadata']['name']
        assert claim['claimName'] == name
    else:
        assert 'emptyDir' in models
        assert 'PersistentVolumeClaim' not in documents


def check_selectors(documents):
    labels = documents['Deployment']['spec']['template']['metadata']['labels']
    service = documents['Service']['spec']
    selectors = [
        documents['Deployment']['spec']['selector']['matchLabels'],
        service['selector'],
        documents['PodDisruptionBudget']['spec']['selector']['matchLabels'],
        documents['NetworkPolicy']['spec']['podSelector']['matchLabels'],
    ]
    for selector in selectors:
        assert selector and selector.items() <= labels.items(), selector
    assert service['clusterIP'] == 'None', 'not headless'
    ports = {p['name']: p['containerPort']
             for p in server_of(documents['Deployment'])['ports']}
    for port in service['ports']:
        assert ports[port['targetPort']] == port['port'], port


def check_monitoring(documents):
    assert 'replicas' not in documents['Deployment']['spec']
    monitor = documents['ServiceMonitor']['spec']
    service = documents['Service']
    labels = service['metadata']['labels']
    assert monitor['selector']['matchLabels'].items() <= labels.items()
    names = [p['name'] for p in service['spec']['ports']]
    assert all(e['port'] in names for e in monitor['endpoints'])

    autoscaler = documents['HorizontalPodAutoscaler']['spec']
    target = autoscaler['scaleTargetRef']['name']
    assert target == documents['Deployment']['metadata']['name']
    metric = autoscaler['metrics'][0]['pods']['metric']['name']
    sources = ''.join(path.read_text(encoding='utf-8')
                      for path in (ROOT / 'server/observe').glob('*.cc'))
    assert f'"{metric}"' in sources, f'the server has no {metric}'
    overlay = ROOT / 'deploy/kubernetes/overlays/monitoring'
    assert metric in (overlay / 'adapter-values.yaml').read_text('utf-8')


def check_gpu(documents):
    server = server_of(documents['Deployment'])
    assert server['image'].startswith('ladder-server-cuda:')
    assert server['resources']['limits']['nvidia.com/gpu'] == '1'
    assert documents['Deployment']['spec']['template']['spec']['nodeSelector']


def check_kserve(documents):
    runtime = documents['ServingRuntime']
    server = runtime['spec']['containers'][0]
    check_flags(server)
    check_probes(server)
    check_hardened(server)
    model = documents['InferenceService']['spec']['predictor']['model']
    assert model['runtime'] == runtime['metadata']['name']
    formats = [f['name'] for f in runtime['spec']['supportedModelFormats']]
    assert model['modelFormat']['name'] in formats
    assert model['protocolVersion'] in runtime['spec']['protocolVersions']


def main(folder):
    for path in sorted(pathlib.Path(folder).glob('*.yaml')):
        documents = load(path)
        if path.stem == 'kserve':
            check_kserve(documents)
        else:
            check_deployment(documents)
            check_selectors(documents)
        if path.stem == 'monitoring':
            check_monitoring(documents)
        if path.stem == 'gpu':
            check_gpu(documents)
        print(f'{path.stem}: {len(documents)} kinds')


if __name__ == '__main__':
    main(sys.argv[1])
