import type { SubtaskAgent, Tool, ToolContext, ToolResult } from '@longhaul/core';
import { cutLine, describeOutcome } from '@longhaul/core/tool-output';
import { subtaskMetadata } from '@longhaul/protocol';
import { TASK_DIALECT } from './dialect/command-dialects.ts';
import { type InputFields, parseInput } from './input-parser.ts';
import { failedResult, textResult } from './tool-result.ts';

export interface TaskOptions {
  /** The agents that a child can have. The first is the default. */
  agents: readonly SubtaskAgent[];
}

export interface TaskInput {
  prompt: string;
  agent?: string | undefined;
  model?: string | undefined;
  background: boolean;
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
        },
        required: ['prompt'],
      },
    },
    parse: (value) => parseInput(value, TASK_DIALECT, readInput),
    execute: runTask,
  };
}

function readInput(fields: InputFields): TaskInput {
  const prompt = fields.text('prompt').trim();
  if (prompt === '') fields.problem('`prompt` is empty: it must contain the whole task.');
  const agent = fields.optionalText('agent')?.trim() || undefined;
  const model = fields.optionalText('model')?.trim() || undefined;
  return { prompt, agent, model, background: fields.flag('background') };
}

async function runTask(
  { prompt, agent, model, background }: TaskInput,
  { subtasks, signal, handle, progress }: ToolContext,
): Promise<ToolResult> {
  if (subtasks === undefined) return failedResult('This session can start no others. Do the work here.');
  const report = (facts: Parameters<typeof subtaskMetadata>[0]) =>
    progress({
      title: `${facts.agent}: ${cutLine(facts.title ?? facts.state, 80)}`,
      metadata: subtaskMetadata(facts),
    });
  const request = { prompt, agent, model, isBackground: background };
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
