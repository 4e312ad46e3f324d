import { z } from 'zod';
import { nameText } from './common.ts';

export const skillsQuery = z.strictObject({
  workspace: nameText(4_096).min(1).optional().meta({
    description: 'Folder on the server, as for createSession. Default: the first allowed one.',
  }),
});

export const skillsSchema = z.looseObject({
  skills: z.array(
    z.looseObject({
      name: z.string(),
      description: z.string().meta({ description: 'When to use it, on one line.' }),
      origin: z.enum(['project', 'user']),
      folder: z.string().meta({ description: "Relative to the workspace, or absolute if it is the user's." }),
    }),
  ),
  problems: z.array(z.looseObject({ name: z.string(), folder: z.string(), problem: z.string() })).meta({
    description: 'Folders that cannot be used as skills, such as those that are not trusted, and why.',
  }),
});
export type WorkspaceSkills = z.infer<typeof skillsSchema>;
