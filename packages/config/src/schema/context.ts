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
    "Replaces the strategy's own trigger: overflow, manual, or { threshold: 0.8 }, a share of the window.",
    null,
  ),
  auto: setting(
    z.boolean(),
    'false: never compact automatically; an overflow is then an error.',
    D.context.compression.auto,
  ),
  model: setting(
    z.string().refine((name) => /^(?:__same__|none)$/.test(name) || modelName.safeParse(name).success, {
      error: 'must be __same__, none, or provider/model',
    }),
    'The model that writes summaries: __same__ (that of the session), none, or provider/model.',
    D.context.compression.model,
  ),
  options: setting(
    z.strictObject({
      preserveLastNTurns: setting(
        z.int().min(0),
        'Turns that reactive-overflow keeps verbatim.',
        options.preserveLastNTurns,
      ),
      recentMessagesToKeep: setting(
        count,
        'Messages that structured-summary keeps verbatim; pruning-agent uses at most 5.',
        options.recentMessagesToKeep,
      ),
      pruneProtectTokens: setting(
        z.int().min(0),
        'Tokens of the newest tool output that pruning keeps.',
        options.pruneProtectTokens,
      ),
      pruneMinimumTokens: setting(
        z.int().min(0),
        'Pruning happens only if it saves this many tokens.',
        options.pruneMinimumTokens,
      ),
      ledgerShare: setting(
        z.number().min(0).max(1),
        'Share of the space for messages that the ledger may use.',
        options.ledgerShare,
      ),
    }),
    'Options of the strategies.',
  ),
});

export const context = z.strictObject({
  compression: setting(compression, 'How the context is compacted.'),
  instructions: setting(
    z.array(text),
    'Instruction files, relative to the workspace.',
    D.context.instructions,
  ),
});

function isModulePath(strategy: string): boolean {
  return /^[./~]/.test(strategy) || /\.[cm]?[jt]s$/.test(strategy);
}
