export {
  commandsAfterPatches,
  type FileAct,
  fileActsOf,
  type ProcessAct,
  processActOf,
} from './call-acts.ts';
export { quoteWord } from './command-line.ts';
export { createTools, type ToolsOptions } from './create-tools.ts';
export { type DecodedText, decodeText } from './decode-text.ts';
export { type RecognisedMedia, recogniseMedia } from './file-type.ts';
export { createPathMatcher } from './path-matcher.ts';
export { createRecallTool } from './recall.ts';
export { createSkillTool } from './skill.ts';
export { createTaskTool, type TaskOptions } from './task.ts';
export { createTodoTool } from './todo.ts';
