/** The form of a patch, for providers that hold a model to a grammar. */
export const PATCH_GRAMMAR = `start: begin file+ end
begin: "*** Begin Patch" LF
end: "*** End Patch" LF?
file: added | deleted | updated
added: "*** Add File: " path LF ("+" /(.*)/ LF)+
deleted: "*** Delete File: " path LF
updated: "*** Update File: " path LF moved? hunks?
moved: "*** Move to: " path LF
hunks: (heading | line)+ last?
heading: ("@@" | "@@ " /(.+)/) LF
line: ("+" | "-" | " ") /(.*)/ LF
last: "*** End of File" LF
path: /(.+)/
%import common.LF
`;
