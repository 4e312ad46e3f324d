import { bareJson } from './bare-json.ts';
import { functionTags } from './function-tags.ts';
import { gemmaTokens } from './gemma-tokens.ts';
import { glmTags } from './glm-tags.ts';
import { invokeTags } from './invoke-tags.ts';
import { deepseekTokens, harmonyTokens, kimiTokens, mistralTokens } from './marked-calls.ts';
import { namedTags } from './named-tags.ts';
import { markedPythonList, pythonList, pythonTag, toolCode } from './python-calls.ts';
import { reactAction } from './react-action.ts';
import { taggedJson } from './tagged-json.ts';
import type { IsTool, TextCallForm } from './text-call-form.ts';

/** All forms. Those with the same opener are tried in this order. */
export const FORMS: readonly TextCallForm[] = [
  taggedJson,
  functionTags,
  glmTags,
  invokeTags,
  kimiTokens,
  deepseekTokens,
  mistralTokens,
  harmonyTokens,
  gemmaTokens,
  markedPythonList,
  pythonTag,
  bareJson,
  pythonList,
  toolCode,
  reactAction,
  namedTags,
];

const MARKED = FORMS.filter(({ openers }) => openers.length > 0);
const WITHIN_LINE = [...MARKED, bareJson, pythonList, reactAction];
const OPENERS = MARKED.flatMap(({ openers }) => openers);

/** Whether the text begins with the mark of a call, whatever follows. */
export function hasOpener(text: string): boolean {
  return OPENERS.some((opener) => text.startsWith(opener));
}

/** Whether calls can begin with the text, which may be incomplete. */
export function canBeginCalls(text: string, isTool: IsTool): boolean {
  return FORMS.some((form) => form.canBegin(text, isTool));
}

/** The same for calls that begin within a line. Neither tags with the name of a tool nor a code block do that. */
export function canBeginWithinLine(text: string, isTool: IsTool): boolean {
  return WITHIN_LINE.some((form) => form.canBegin(text, isTool));
}
