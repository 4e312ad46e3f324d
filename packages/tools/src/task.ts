import type { SubtaskAgent, Subtasks, Tool, ToolContext, ToolResult } from '@longhaul/core';
import { cutLine, describeMerge, describeOutcome } from '@longhaul/core/tool-output';
import { subtaskMetadata } from '@longhaul/protocol';
import { TASK_DIALECT } from './dialect/command-dialects.ts';
import { type InputFields, parseInput } from './input-parser.ts';
import { failedResult, reportRefusals, textResult } from './tool-result.ts';

export interface TaskOptions {
  /** The agents that a child can have. The first is the default. */
  agents: readonly SubtaskAgent[];
}

export interface TaskInput {
  prompt: string;
  agent?: string | undefined;
  model?: string | undefined;
  background: boolean;
  files: 'shared' | 'own';
  /** Handles, in place of a prompt. */
  merge?: string | undefined;
  markers: boolean;
  discard?: string | undefined;
}

/** Creates the tool that starts child sessions. */
export function createTaskTool({ agents }: TaskOptions): Tool<TaskInput> {
  return {
    name: 'task',
    aliases: TASK_DIALECT.names,
    isRepeatable: true,
    startsSessions: true,
    schema: {
      name: 'task',
      description: `Give a task to an agent with a window of its own. It sees only the prompt; you get its answer. Agents: ${agents.map(({ name, description }) => `${name} (${description})`).join(', ')}.`,
      parameters: {
        type: 'object',
        properties: {
          prompt: { type: 'string', description: 'All it must know, and what to answer' },
          agent: { type: 'string' },
          model: { type: 'string' },
          background: { type: 'boolean', description: 'The answer comes later, as a message' },
          files: {
            type: 'string',
            enum: ['own'],
            description: 'It works in a copy, to merge or discard',
          },
          merge: { type: 'string', description: 'Handle of such a task, instead of a prompt' },
          markers: { type: 'boolean', description: 'Merge with conflicts, marked' },
          discard: { type: 'string' },
        },
      },
    },
    parse: (value) => parseInput(value, TASK_DIALECT, readInput),
    execute: runTask,
  };
}

function readInput(fields: InputFields): TaskInput {
  const prompt = fields.optionalText('prompt')?.trim() ?? '';
  const [merge, discard] = ['merge', 'discard'].map((name) => fields.optionalText(name)?.trim() || undefined);
  const wanted = [prompt || undefined, merge, discard].filter((value) => value !== undefined).length;
  if (wanted === 0) fields.problem('`prompt` is missing: it must contain the whole task.');
  if (wanted > 1) fields.problem('`prompt`, `merge` and `discard` are different calls: give one of them.');
  const files = fields.optionalText('files')?.trim() || 'shared';
  if (files !== 'own' && files !== 'shared') fields.problem('`files` is "own" or "shared".');
  const agent = fields.optionalText('agent')?.trim() || undefined;
  const model = fields.optionalText('model')?.trim() || undefined;
  return {
    prompt,
    agent,
    model,
    background: fields.flag('background'),
    files: files === 'own' ? 'own' : 'shared',
    merge,
    markers: fields.flag('markers'),
    discard,
  };
}

async function runTask(input: TaskInput, context: ToolContext): Promise<ToolResult> {
  const { subtasks } = context;
  if (subtasks === undefined) return failedResult('This session can start no others. Do the work here.');
  const { merge, markers, discard } = input;
  if (merge !== undefined) return await reportRefusals(() => runMerge(subtasks, merge, markers));
  if (discard === undefined) return await runChild(input, subtasks, context);
  return await reportRefusals(async () => {
    await subtasks.discard(discard);
    return textResult(`Dropped what the task ${discard} changed.`, { title: `discard ${discard}` });
  });
}

async function runMerge(subtasks: Subtasks, handle: string, markers: boolean): Promise<ToolResult> {
  const merge = await subtasks.merge({ handle, conflicts: markers ? 'markers' : 'refuse' });
  const text = describeMerge(merge, handle);
  const about = { title: `merge ${handle}` };
  return merge.status === 'refused' ? failedResult(text, about) : textResult(text, about);
}

async function runChild(
  { prompt, agent, model, background, files }: TaskInput,
  subtasks: Subtasks,
  { signal, handle, progress }: ToolContext,
): Promise<ToolResult> {
  const report = (facts: Parameters<typeof subtaskMetadata>[0]) =>
    progress({
      title: `${facts.agent}: ${cutLine(facts.title ?? facts.state, 80)}`,
      metadata: subtaskMetadata(facts),
    });
  const request = { prompt, agent, model, isBackground: background, files };
  const outcome = await subtasks.run(request, { signal, progress: report });
  const { facts } = outcome;
  const about = {
    title: `${facts.agent}: ${cutLine(prompt.split('\n')[0] ?? '', 80)}`,
    metadata: subtaskMetadata(facts),
  };
  if (facts.state === 'running')
    return textResult(`Started as ${handle}. Its result arrives as a message; do not wait for it.`, about);
  const text = describeOutcome(outcome, handle);
  return outcome.problem === undefined ? textResult(text, about) : failedResult(text, about);
}
