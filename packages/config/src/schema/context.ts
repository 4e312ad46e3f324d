import * as z from 'zod';
import { DEFAULT_CONFIG as D, STRATEGY_NAMES } from '../config.ts';
import { count, setting, summaryModel, text } from './values.ts';

const options = D.context.compression.options;
export const compression = z.strictObject({
  strategy: setting(
    z.string().refine((name) => STRATEGY_NAMES.some((own) => own === name) || isModulePath(name), {
      error: `must be one of ${STRATEGY_NAMES.join(', ')}, or the path of a module`,
    }),
    `The compaction strategy: ${STRATEGY_NAMES.join(', ')}, or the path of a module.`,
    D.context.compression.strategy,
  ),
  trigger: setting(
    z
      .union([z.enum(['overflow', 'manual']), z.strictObject({ threshold: z.number().gt(0).max(1) })], {
        error: 'must be overflow, manual, or { threshold: 0.8 }',
      })
      .nullable(),
    'When to compact: overflow (when the window is full), manual (never automatically), or { threshold: 0.8 } (at this share of the window). null: the trigger of the strategy.',
    null,
  ),
  auto: setting(
    z.boolean(),
    'Whether to compact automatically. If false, a request that does not fit the window ends the run with an error.',
    D.context.compression.auto,
  ),
  model: setting(
    summaryModel,
    'The model that writes summaries: provider/model, __same__ (the model of the session), or none (summaries contain computed facts only).',
    D.context.compression.model,
  ),
  options: setting(
    z.strictObject({
      preserveLastNTurns: setting(
        z.int().min(0),
        'Number of newest turns that the strategies reactive-overflow and provider-compaction keep unchanged. A turn is a message of the user and everything up to its final answer.',
        options.preserveLastNTurns,
      ),
      recentMessagesToKeep: setting(
        count,
        'Number of newest messages that the strategy structured-summary keeps unchanged. pruning-agent uses the same number, but at most 5.',
        options.recentMessagesToKeep,
      ),
      pruneProtectTokens: setting(
        z.int().min(0).nullable(),
        'Pruning never hides the newest tool outputs, up to this many tokens. null means 40,000, but at most 20 % of the window.',
        options.pruneProtectTokens,
      ),
      pruneMinimumTokens: setting(
        z.int().min(0).nullable(),
        'Pruning hides old tool outputs only if this saves at least this many tokens. null means 20,000, but at most 10 % of the window.',
        options.pruneMinimumTokens,
      ),
      ledgerShare: setting(
        z.number().min(0).max(1),
        'Scales the limit of the computed part of a summary: 0.2 is the normal limit, and 0.4 doubles it. It never exceeds 40 % of the space for messages.',
        options.ledgerShare,
      ),
    }),
    'Options of the strategies and of pruning.',
  ),
});

export const context = z.strictObject({
  compression: setting(compression, 'How older messages are replaced by a summary.'),
  instructions: setting(
    z.array(text),
    'Instruction files that are added to the system prompt. Paths are relative to the workspace, not to this file. If a file changes during a session, the next run tells the model its new text in a message. With AGENTS.md in the list, the AGENTS.md of the folders in which the agent works are read too.',
    D.context.instructions,
  ),
  budgetNotes: setting(
    z.boolean(),
    'Whether a note tells the model how full its context is, and whether the tool todo can keep facts through compactions and ask for a compaction.',
    D.context.budgetNotes,
  ),
});

function isModulePath(strategy: string): boolean {
  return /^[./~]/.test(strategy) || /\.[cm]?[jt]s$/.test(strategy);
}
