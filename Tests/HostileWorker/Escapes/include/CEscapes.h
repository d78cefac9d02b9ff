#pragma once
// What code that has taken over a worker would try. Each attempt returns 0 if it succeeded, else the errno of the refusal.
int edge_escape(const char *name, const char *argument);
