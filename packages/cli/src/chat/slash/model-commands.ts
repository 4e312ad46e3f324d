import { REASONING_EFFORTS } from '@longhaul/models';
import { shownModel } from '@longhaul/protocol';
import { formatTokens } from '../../render/format.ts';
import type { PickerItem } from '../panels/picker.ts';
import { AGENT_COMMAND } from './agent-command.ts';
import type { SlashCommand, SlashContext } from './slash-command.ts';

export const MODEL_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'model',
    hint: '[NAME]',
    description: 'choose the model',
    async run(words, context) {
      const name = words === '' ? await pickModel(context) : words;
      if (name !== undefined) await useModel(name, context);
    },
  },
  {
    name: 'effort',
    hint: `[${REASONING_EFFORTS.join('|')}]`,
    description: 'how much the model reasons',
    values: async () => REASONING_EFFORTS.map((value) => ({ value, label: value })),
    async run(words, { local, conversation, options, surface, print }) {
      if (local === undefined)
        return print('The server sets the effort. Change it in the configuration of the server.\n');
      const effort =
        REASONING_EFFORTS.find((value) => value === words) ??
        (words === ''
          ? await surface.pick({
              title: 'How much should the model reason?',
              items: REASONING_EFFORTS.map((value) => ({ value, label: value })),
            })
          : undefined);
      if (effort === undefined)
        return words === '' ? undefined : print(`The efforts are ${REASONING_EFFORTS.join(', ')}.\n`);
      const model = conversation.model ?? options.model;
      await local.choose({ ...(model !== undefined && { model }), effort });
      print(`The effort is ${effort} from the next message on.\n`);
    },
  },
  AGENT_COMMAND,
];

async function useModel(
  name: string,
  { client, local, conversation, options, print }: SlashContext,
): Promise<void> {
  const chosen = local === undefined ? name : await local.choose({ model: name });
  const model =
    conversation.id === undefined
      ? chosen
      : (await client.sessions.update(conversation.id, { model: chosen })).model;
  options.model = model;
  if (conversation.id !== undefined) conversation.model = model;
  print(`The model is ${shownModel(model)} from the next message on.\n`);
}

async function pickModel({
  client,
  local,
  options,
  conversation,
  surface,
  print,
}: SlashContext): Promise<string | undefined> {
  const [listed, known] = await Promise.all([client.models(), local?.models()]);
  const current = conversation.model ?? options.model;
  const models = new Map([...(known ?? []), ...listed.models].map((model) => [model.name, model]));
  const items = [...models.values()].map(({ name, source, windowTokens }): PickerItem<string> => {
    const window = windowTokens === undefined ? '' : `, window ${formatTokens(windowTokens)}`;
    return { value: name, label: shownModel(name), description: `${SOURCES[source]}${window}` };
  });
  if (items.length === 0) {
    print('No model is known. Name one: /model provider/model.\n');
    return undefined;
  }
  return await surface.pick({
    title: 'Choose a model',
    findsInDescriptions: true,
    items,
    selected: Math.max(
      0,
      items.findIndex(({ value }) => value === current),
    ),
  });
}

const SOURCES = {
  configuration: 'configured',
  catalogue: 'catalogue',
  server: 'loaded on this machine',
} as const;
