"""What Bottega is set up with, over HTTP: agents and models for all to see, all else for the host alone."""

from bottega.server.routes.setup import agents, keys, models, settings

ROUTERS = (agents.router, models.router, settings.router, keys.router)
