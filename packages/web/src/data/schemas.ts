import './zod.ts';

export { API_ROUTES } from '@longhaul/protocol/api';
