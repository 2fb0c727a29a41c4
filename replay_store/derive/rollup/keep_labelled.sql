insert into labelled_decision by name
from unseen_decision
