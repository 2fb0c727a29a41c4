-- Nothing waits to be shipped any more. The store keeps its name, by which the cluster knows its rows.
update ship_target set
    target = '',
    problem = null;
delete from ship_block;
delete from ship_outbox;
