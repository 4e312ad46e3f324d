import { CONTEXT_FLAGS } from '../command-line/flags.ts';
import { parseFlags, positiveNumber, usage } from '../command-line/parse-flags.ts';
import { knownSecrets } from '../compose/known-secrets.ts';
import { contextPage } from '../render/context-page.ts';
import { requestText } from '../render/request-text.ts';
import { type FoundSession, withSession } from '../session/with-session.ts';
import { columnsOf, type Terminal, wantsColors } from '../terminal.ts';

/** `longhaul context`: shows what fills a session's window. */
export async function context(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'context', CONTEXT_FLAGS);
  const [id, ...others] = positionals;
  if (id === undefined || others.length > 0) throw usage('Name one session: longhaul context ID.', 'context');
  const windowTokens = positiveNumber(values.window, '--window', { whole: true });
  return await withSession(
    id,
    { values, terminal, access: 'read', typed: ['context', ...argv] },
    async (found) => {
      const { runtime, session } = found;
      if (values.request === true) {
        terminal.out.write(
          await requestOutput(found, terminal, { isJson: values.json === true, windowTokens }),
        );
        return 0;
      }
      const report = await runtime.contextOf(session.id, { windowTokens });
      const colors = wantsColors(terminal, values['no-color']);
      terminal.out.write(
        values.json
          ? `${JSON.stringify(report)}\n`
          : contextPage(report, { title: session.title, columns: columnsOf(terminal.out), colors }),
      );
      return 0;
    },
  );
}

/** Nothing that could be a key of this machine is shown. */
async function requestOutput(
  found: FoundSession,
  { env }: Terminal,
  { isJson, windowTokens }: { isJson: boolean; windowTokens: number | undefined },
): Promise<string> {
  const { createSecretMask } = await import('@longhaul/server');
  const mask = createSecretMask(knownSecrets(found.config, env));
  const request = await found.runtime.nextRequestOf(found.session.id);
  if (!isJson) return mask(requestText(request));
  const { nativeRequest } = await import('../compose/native-request.ts');
  return `${mask(JSON.stringify(await nativeRequest(request, { ...found, windowTokens })))}\n`;
}
