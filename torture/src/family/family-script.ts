import type { ChatMessage } from '@longhaul/protocol';
import {
  type Script,
  type ScriptReply,
  type ScriptToolCall,
  textOf,
  toolResults,
  userTexts,
} from '@longhaul/scripted-model';
import {
  answerOf,
  type ChildName,
  effectsOf,
  FINAL,
  handlesIn,
  nameIn,
  ownChildOf,
  promptOf,
  tasksOf,
} from './family-plan.ts';

/** A model that plays a parent and its children. It knows only the messages of each request. */
export const script: Script = ({ messages }) => {
  const name = nameIn(textOf(messages.find(({ role }) => role === 'user')));
  return name === undefined ? playParent(messages) : playChild(name, messages);
};

function playParent(messages: readonly ChatMessage[]): ScriptReply {
  const calls = toolResults(messages);
  const started = calls
    .filter((call) => call.name === 'task')
    .flatMap((call) => nameIn(call.arguments) ?? []);
  const round = Math.max(0, ...started.map((child) => Number(child.split('.')[0])));
  const isFinish = calls.some((call) => call.name === 'progress' && /finish yes/.test(call.result));
  const inBackground = calls.filter((call) => /^Started as/.test(call.result)).length;
  const delivered = new Set(userTexts(messages).flatMap(handlesIn)).size;
  const isWaiting = delivered < inBackground;
  if (isFinish && !isWaiting) return { text: `${FINAL} ${started.length} children have answered.` };
  // An answer without calls: the run waits for the children in the background.
  if (isWaiting && (isFinish || round % 2 === 0))
    return { text: `I wait for ${inBackground - delivered} more.` };
  return {
    text: `Round ${round + 1}.`,
    toolCalls: [...tasksOf(round + 1).map(taskCall), call('progress', {})],
  };
}

function playChild(name: ChildName, messages: readonly ChatMessage[]): ScriptReply {
  const calls = toolResults(messages);
  const own = ownChildOf(name);
  const hasRun = calls.some((each) => each.name === 'task' && !each.result.startsWith('[Not run'));
  if (own !== undefined && !hasRun)
    return { text: 'I have a child, too.', toolCalls: [taskCall({ name: own, isBackground: false })] };
  const known = knownEffects(calls);
  const next = effectsOf(name).find((key) => known.get(key) !== 'done');
  if (next === undefined) return { text: `${answerOf(name)} all effects are made.` };
  const tool = known.get(next) === 'unsure' ? 'progress' : 'effect';
  return { text: `Now ${next}.`, toolCalls: [call(tool, { key: next })] };
}

/** After an interrupted call, the model looks whether its effect was made. */
function knownEffects(calls: ReturnType<typeof toolResults>): Map<string, 'done' | 'missing' | 'unsure'> {
  const known = new Map<string, 'done' | 'missing' | 'unsure'>();
  for (const { name, arguments: input, result } of calls) {
    const key = /"key":\s*"([^"]+)"/.exec(input)?.[1];
    if (key === undefined || (name !== 'effect' && name !== 'progress')) continue;
    if (result.includes(`${key} is made`)) known.set(key, 'done');
    else known.set(key, result.includes(`${key} is missing`) ? 'missing' : 'unsure');
  }
  return known;
}

function taskCall({ name, isBackground }: { name: ChildName; isBackground: boolean }): ScriptToolCall {
  return call('task', { prompt: promptOf(name), ...(isBackground && { background: true }) });
}

function call(name: string, input: ScriptToolCall['arguments']): ScriptToolCall {
  return { name, arguments: input };
}
