import * as z from 'zod';
import { DEFAULT_CONFIG as D } from '../config.ts';
import { setting } from './values.ts';

const pattern = z
  .string()
  .min(1)
  .max(1_000)
  .regex(/^[^\n\r\0]*$/, { error: 'must be one line' });

export const files = z.strictObject({
  record: setting(
    z.boolean(),
    'Whether to record what changes in the workspace, so that you can see and revert it.',
    D.files.record,
  ),
  maxFileMb: setting(
    z.number().positive().max(2_000),
    'Maximum size in MiB of a file whose content is recorded. Of a larger file, only the name, the size and a hash are recorded, so it cannot be restored.',
    D.files.maxFileMb,
  ),
  ignore: setting(
    z.array(pattern).max(1_000),
    'Files that are not recorded, as patterns of a .gitignore file. The .gitignore files of the workspace apply too.',
    D.files.ignore,
  ),
  secret: setting(
    z.array(pattern).max(1_000),
    'Files with secrets, as patterns of a .gitignore file. Only a keyed hash of their content is recorded. Files such as .env and private keys always count as secret.',
    D.files.secret,
  ),
});
