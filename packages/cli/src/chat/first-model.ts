import { wrapText } from '../render/word-wrapper.ts';
import type { Terminal } from '../terminal.ts';
import type { LocalParts } from './connection/connection.ts';
import type { Remarks } from './remarks.ts';
import type { Surface } from './surface/surface.ts';

export interface FirstModelOptions {
  surface: Surface;
  terminal: Terminal;
  local: LocalParts;
  remarks: Remarks;
}

interface Way {
  label: string;
  description: string;
  /** The provider whose key is asked for. */
  provider?: string;
  /** What to do, in lines. */
  steps: readonly string[];
}

const WAYS: readonly Way[] = [
  keyOf('Anthropic (Claude)', 'anthropic'),
  keyOf('OpenAI', 'openai'),
  keyOf('Google (Gemini)', 'google'),
  {
    label: 'OpenRouter, or another server',
    description: 'any with OpenAI’s API',
    steps: [
      'Put this into ~/.config/longhaul/longhaul.yml, with the names of your server and model:',
      '  model: openrouter/vendor/model',
      '  providers:',
      '    openrouter: { kind: openai-compatible, baseUrl: https://openrouter.ai/api/v1 }',
      'Then start Longhaul again, and store the key (from https://openrouter.ai/settings/keys): /login openrouter.',
    ],
  },
];

function keyOf(label: string, provider: string): Way {
  return { label, description: 'with an API key', provider, steps: [] };
}

/**
 * Leads a person who has no model to one: looks again for servers on this machine, or asks for a key. Does nothing if
 * they leave the question.
 */
export async function leadToModel({ surface, terminal, local, remarks }: FirstModelOptions): Promise<void> {
  if (local.modelProblem === undefined) return;
  if (!local.lacksModel || surface.hasQuestion) return remarks.say(local.modelProblem);
  const problem = 'Longhaul needs a model: no key is set, and no server of models was found on this machine.';
  surface.print(wrapText(problem, surface.columns));
  const choice = await surface.pick<Way | 'local'>({
    title: 'Which model do you want?',
    items: [
      ...WAYS.map((way) => ({ value: way, label: way.label, description: way.description })),
      {
        value: 'local',
        label: 'A model on this machine',
        description: 'start it first, such as LM Studio or Ollama',
      },
    ],
  });
  if (choice === undefined) return;
  if (choice !== 'local' && choice.provider !== undefined) {
    const { logIn } = await import('./log-in.ts');
    return surface.print(`${await logIn(choice.provider, { local, surface, terminal })}\n`);
  }
  if (choice !== 'local') return surface.print(`${choice.steps.join('\n')}\n`);
  // Fails with what was looked for.
  const model = await local.choose({});
  surface.print(`The model is ${model}.\n`);
}
