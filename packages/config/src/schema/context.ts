import * as z from 'zod';
import { DEFAULT_CONFIG as D, STRATEGY_NAMES } from '../config.ts';
import { count, modelName, setting, text } from './values.ts';

const options = D.context.compression.options;
const compression = z.strictObject({
  strategy: setting(
    z.string().refine((name) => STRATEGY_NAMES.some((own) => own === name) || isModulePath(name), {
      error: `must be one of ${STRATEGY_NAMES.join(', ')}, or the path of a module`,
    }),
    `One of ${STRATEGY_NAMES.join(', ')}, or the path of a module.`,
    D.context.compression.strategy,
  ),
  trigger: setting(
    z
      .union([z.enum(['overflow', 'manual']), z.strictObject({ threshold: z.number().gt(0).max(1) })], {
        error: 'must be overflow, manual, or { threshold: 0.8 }',
      })
      .nullable(),
    "Overrides the strategy's own: overflow, manual, or { threshold: 0.8 }, a share of the window.",
    null,
  ),
  auto: setting(z.boolean(), 'false: an overflow is an error instead.', D.context.compression.auto),
  model: setting(
    z.string().refine((name) => /^(?:__same__|none)$/.test(name) || modelName.safeParse(name).success, {
      error: 'must be __same__, none, or provider/model',
    }),
    'Who writes summaries: __same__, none, or provider/model.',
    D.context.compression.model,
  ),
  options: setting(
    z.strictObject({
      preserveLastNTurns: setting(z.int().min(0), 'Turns kept verbatim.', options.preserveLastNTurns),
      recentMessagesToKeep: setting(
        count,
        'Messages that structured-summary keeps verbatim.',
        options.recentMessagesToKeep,
      ),
      pruneProtectTokens: setting(
        z.int().min(0),
        'Newest tool output that pruning leaves.',
        options.pruneProtectTokens,
      ),
      pruneMinimumTokens: setting(
        z.int().min(0),
        'Pruning happens only if it saves this.',
        options.pruneMinimumTokens,
      ),
      ledgerShare: setting(
        z.number().min(0).max(1),
        'Share of the room for messages that the ledger may take.',
        options.ledgerShare,
      ),
    }),
    'Numbers of the strategies.',
  ),
});

export const context = z.strictObject({
  compression: setting(compression, 'What happens when the window fills.'),
  instructions: setting(
    z.array(text),
    'Files of standing instructions, from the workspace.',
    D.context.instructions,
  ),
});

function isModulePath(strategy: string): boolean {
  return /^[./~]/.test(strategy) || /\.[cm]?[jt]s$/.test(strategy);
}
