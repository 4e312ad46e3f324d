import { ADDRESSES } from '../addresses.ts';
import type { ApiRoute } from '../route.ts';
import { skillsQuery, skillsSchema } from '../skills.ts';

export const skillRoutes = {
  listSkills: {
    ...ADDRESSES.listSkills,
    tag: 'skills',
    summary: 'List the skills that sessions of a workspace have',
    query: skillsQuery,
    status: 200,
    response: skillsSchema,
    errors: ['workspace_not_allowed'],
  },
} as const satisfies Record<string, ApiRoute>;
