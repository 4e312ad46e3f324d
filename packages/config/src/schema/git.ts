import * as z from 'zod';
import { DEFAULT_CONFIG as D } from '../config.ts';
import { setting } from './values.ts';

const host = z.string().regex(/^(?:[a-z\d](?:[a-z\d.-]*[a-z\d])?|\[[\da-f:.]+\])$/, {
  error: 'must be the name of a host in lower case, without a port, such as github.com',
});

export const git = z.strictObject({
  hosts: setting(
    z.array(host).max(1_000),
    'Hosts whose repositories clients of longhaul serve may clone, over https and ssh.',
    [...D.git.hosts],
  ),
  tokens: setting(
    z.record(host, z.string().min(1)),
    'Tokens with which repositories are cloned over https, by host, such as github.com: $GITHUB_TOKEN. The agent does not get them.',
    D.git.tokens,
  ),
  local: setting(
    z.boolean(),
    'Whether clients of longhaul serve may also clone repositories in folders of the server, and over http.',
    D.git.local,
  ),
});
