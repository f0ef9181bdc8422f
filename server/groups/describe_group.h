#ifndef LADDER_SERVER_GROUPS_DESCRIBE_GROUP_H_
#define LADDER_SERVER_GROUPS_DESCRIBE_GROUP_H_

#include "model_store/format/manifest.h"
#include "server/groups/route_group.h"
#include "server/observe/serving_observer.h"

namespace ladder::server {

// Fills what `report` says of a group's routing.
void DescribeRouting(const model_store::Manifest& manifest,
                     const RoutingAnswer& answer, GroupReport& report);

}  // namespace ladder::server

#endif  // LADDER_SERVER_GROUPS_DESCRIBE_GROUP_H_
