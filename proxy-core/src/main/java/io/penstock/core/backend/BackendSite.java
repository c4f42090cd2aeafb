package io.penstock.core.backend;

import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;

/** Where backend connections live and whom they tell: the same for all of one loop. */
public record BackendSite(
    LoopGroup group, Loop loop, BackendSettings settings, BackendListener listener) {}
