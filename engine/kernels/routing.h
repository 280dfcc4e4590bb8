/* routing: how a mixture of experts chooses, one description for programs and kernels. Constants and one
 * struct; owns nothing. */
#ifndef ENGINE_KERNELS_ROUTING_H
#define ENGINE_KERNELS_ROUTING_H

#include <stdbool.h>
#include <stddef.h>

enum { ROUTE_MAX_GROUPS = 64 };

struct routing {
    bool sigmoid;         /* scores are sigmoids of the logits; else their softmax */
    bool normalised;      /* the weights of the chosen are divided by their sum */
    size_t n_groups;      /* of neighbouring experts, 1 to ROUTE_MAX_GROUPS ... */
    size_t n_groups_used; /* ... only the best of which are looked at */
    size_t group_top;     /* a group's score is the sum of so many of its best, 1 or 2 */
    float scale;          /* of the weights, last */
};

#endif
