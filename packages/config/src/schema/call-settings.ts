import * as z from 'zod';
import { setting } from './values.ts';

/** The keys of `CallSettings`, which a provider and each of its models can have. */
export const callSettings = {
  cache: setting(
    z.boolean(),
    'Whether the cache of the provider is requested where a request must ask for it. Default: true.',
  ),
};
