-- Labels that came of ground truth go before they are made anew.
delete from label
where source = 'replay'
    and annotator = $annotator
    and annotator_kind = 'RULE'
