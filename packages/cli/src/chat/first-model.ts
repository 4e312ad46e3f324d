import { wrapText } from '../render/word-wrapper.ts';
import type { LocalParts } from './connection/connection.ts';
import type { Remarks } from './remarks.ts';
import type { Surface } from './surface/surface.ts';

export interface FirstModelOptions {
  surface: Surface;
  local: LocalParts;
  remarks: Remarks;
}

interface Way {
  label: string;
  description: string;
  /** What to do, in lines. */
  steps: readonly string[];
}

const WAYS: readonly Way[] = [
  keyOf('Anthropic (Claude)', 'https://console.anthropic.com/settings/keys', 'ANTHROPIC_API_KEY'),
  keyOf('OpenAI', 'https://platform.openai.com/api-keys', 'OPENAI_API_KEY'),
  keyOf('Google (Gemini)', 'https://aistudio.google.com/apikey', 'GEMINI_API_KEY'),
  {
    label: 'OpenRouter, or another server',
    description: 'any that speaks OpenAI’s API',
    steps: [
      'Put this into ~/.config/longhaul/longhaul.yml, with the names of your server and model:',
      '  model: openrouter/vendor/model',
      '  providers:',
      '    openrouter: { kind: openai-compatible, baseUrl: https://openrouter.ai/api/v1, apiKey: $OPENROUTER_API_KEY }',
      'Set the variable with the key (from https://openrouter.ai/settings/keys), and start longhaul again.',
    ],
  },
];

function keyOf(label: string, address: string, variable: string): Way {
  return {
    label,
    description: `with a key in ${variable}`,
    steps: [
      `1. Get a key: ${address}`,
      `2. Set it in your shell: export ${variable}=…`,
      '3. Start longhaul again. /model then chooses among the models.',
    ],
  };
}

/**
 * Leads a person who has no model to one: looks again for servers on this machine, or says how to get a key. Does nothing if
 * they leave the question.
 */
export async function leadToModel({ surface, local, remarks }: FirstModelOptions): Promise<void> {
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
        description: 'LM Studio, Ollama, llama.cpp or vLLM: start it first',
      },
    ],
  });
  if (choice === undefined) return;
  if (choice !== 'local') return surface.print(`${choice.steps.join('\n')}\n`);
  // Fails with what was looked for.
  const model = await local.choose({});
  surface.print(`The model is ${model}.\n`);
}
