import * as z from 'zod';
import { DEFAULT_CONFIG } from '../config.ts';
import { setting } from './values.ts';

const D = DEFAULT_CONFIG.embedded;

export const embedded = z.strictObject({
  window: setting(
    z.int().min(512).nullable(),
    'Context window in tokens. null: the longest that the model was trained for and that fits into the free memory.',
    D.window,
  ),
  idleMinutes: setting(
    z.number().gt(0).max(10_000),
    'Minutes without a request after which the process of a model ends.',
    D.idleMinutes,
  ),
  stateGb: setting(
    z.number().min(0),
    'Gigabytes on disk for what embedded models have read, so that a resumed session is not read again. 0: nothing is kept.',
    D.stateGb,
  ),
  gpu: setting(
    z.boolean(),
    'Whether a graphics processor is used if there is one. false: only the processor.',
    D.gpu,
  ),
});
