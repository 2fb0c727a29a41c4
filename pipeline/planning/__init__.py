"""What to do next: tools looked up, a plan written and checked, circles noticed (S4 §2.2, §3.1).

Owns retrieval, the planner's prompt, plans, loop guards and the models behind planners. Refuses to
run what it planned: that is `pipeline.execution`.
"""

from pipeline.planning.conversation import Completion, Conversation, Message, ToolRequest, Usage
from pipeline.planning.endpoint import EndpointModel
from pipeline.planning.errors import ModelError, PlanError, PlanningError
from pipeline.planning.functions import FunctionPlanner
from pipeline.planning.loops import LoopGuard, cycle_period
from pipeline.planning.model import Model, ModelRequest, ask
from pipeline.planning.plan import Plan, Step, parse_plan
from pipeline.planning.planners import (
    JsonPlanner,
    PastStep,
    Planner,
    Situation,
    ToolCallPlanner,
    Turn,
)
from pipeline.planning.prompts import planner_prompt
from pipeline.planning.retrieval import Embedding, Retriever, TermEmbedding

__all__ = [
    "Completion",
    "Conversation",
    "Embedding",
    "EndpointModel",
    "FunctionPlanner",
    "JsonPlanner",
    "LoopGuard",
    "Message",
    "Model",
    "ModelError",
    "ModelRequest",
    "PastStep",
    "Plan",
    "PlanError",
    "Planner",
    "PlanningError",
    "Retriever",
    "Situation",
    "Step",
    "TermEmbedding",
    "ToolCallPlanner",
    "ToolRequest",
    "Turn",
    "Usage",
    "ask",
    "cycle_period",
    "parse_plan",
    "planner_prompt",
]
