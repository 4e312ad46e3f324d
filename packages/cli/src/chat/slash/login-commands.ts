import type { SlashCommand, SlashContext } from './slash-command.ts';

export const LOGIN_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'login',
    hint: '[PROVIDER]',
    description: 'store the API key of a provider',
    values: async ({ local }) =>
      (local?.keys.providers() ?? []).map((name) => ({ value: name, label: name })),
    async run(words, context) {
      const { local, print, surface, terminal } = context;
      if (local === undefined)
        return print('Keys are stored on the machine of the server: longhaul login.\n');
      const [typed, ...others] = words.split(/\s+/);
      if (others.length > 0) return print('Leave the key out: you are asked for it, and it is not shown.\n');
      const provider = typed || (await pickProvider(local.keys.providers(), context));
      if (provider === undefined) return;
      const { logIn } = await import('../log-in.ts');
      print(`${await logIn(provider, { local, surface, terminal })}\n`);
    },
  },
  {
    name: 'logout',
    hint: '[PROVIDER]',
    description: 'remove a stored API key',
    async run(words, context) {
      const { local, print } = context;
      if (local === undefined)
        return print('Keys are stored on the machine of the server: longhaul logout.\n');
      const stored = await local.keys.stored();
      if (stored.length === 0) return print('No key is stored.\n');
      const provider = words === '' ? await pickProvider(stored, context) : words;
      if (provider === undefined) return;
      const wasThere = await local.keys.remove(provider);
      print(wasThere ? `The stored key of ${provider} is removed.\n` : `No key of ${provider} is stored.\n`);
    },
  },
];

async function pickProvider(
  names: readonly string[],
  { surface }: SlashContext,
): Promise<string | undefined> {
  return await surface.pick({
    title: 'Which provider?',
    items: names.map((name) => ({ value: name, label: name })),
  });
}
