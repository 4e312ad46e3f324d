import { type ApprovalRule, alwaysRules } from '@longhaul/approvals';
import { RuleFile, storeTrust, TrustStore } from '@longhaul/config';
import { LonghaulError } from '@longhaul/protocol';
import type { Settings } from '../../compose/load-settings.ts';
import { unknownTool } from '../../compose/misspelt-tools.ts';
import type { ServedSettings } from '../../serve/served-settings.ts';
import type { Terminal } from '../../terminal.ts';
import type { LocalAccess, LocalRules } from './connection.ts';

/** What decides about calls and about the project's file, on this machine. */
export function localAccess(
  { config, project, home }: Settings,
  settings: ServedSettings,
  { env }: Terminal,
): LocalAccess {
  const store = new TrustStore({ env, home });
  return {
    rules: localRules(settings, { env, home }),
    sandbox: config.sandbox.driver,
    project,
    allow: async () => {
      if (project !== undefined) await storeTrust(project, store);
    },
    withdraw: async () => {
      if (project !== undefined) await store.remove(project.workspace);
    },
  };
}

function localRules(settings: ServedSettings, user: ConstructorParameters<typeof RuleFile>[0]): LocalRules {
  const file = new RuleFile(user);
  const current = () => settings.config.approvals;
  const origin = () => settings.shown().origins['approvals'];
  const isReplaced = () => origin() !== undefined && origin()?.from !== 'user';
  const requireInEffect = () => {
    if (isReplaced())
      throw new LonghaulError(
        'usage',
        `The rules in effect are in ${origin()?.path ?? 'another place'}, and replace those of your own longhaul.yml. Change them there.`,
      );
  };
  return {
    file: file.path,
    current,
    reload: async () => void (await settings.reload()),
    origin,
    unknownTool: (tool) => unknownTool(tool, settings.config),
    ofAlways: async ({ toolName, args }, workspace) =>
      isReplaced() ? undefined : await alwaysRules({ toolName, input: args, workspacePath: workspace }),
    async add(rules: readonly ApprovalRule[]) {
      requireInEffect();
      await file.add(rules);
      await settings.reload();
    },
    async remove(rule) {
      requireInEffect();
      const wasThere = await file.remove(rule);
      if (wasThere) await settings.reload();
      return wasThere;
    },
  };
}
