import type {
  GatewayPageState,
  ModelWindows,
  PageModel,
  PageUpstream,
} from '@longhaul/protocol/gateway-page';
import type { GatewayCore } from '../gateway-core.ts';
import { windowSetting } from '../status/gateway-stats.ts';
import { publicAddress } from '../status/read-status.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { ConversationBook } from './conversation-book.ts';
import type { SettingsKeeper } from './page-options.ts';
import type { ServerLists } from './server-lists.ts';

/** Hosted providers list hundreds of models. */
const MAX_LISTED = 100;

export interface PageParts {
  conversations: ConversationBook;
  lists: ServerLists;
  keeper: SettingsKeeper | undefined;
}

/** Returns all that the page shows. */
export function pageState(core: GatewayCore, { conversations, lists, keeper }: PageParts): GatewayPageState {
  const { stats, live } = core;
  return {
    startedAt: stats.startedAt,
    upstreams: core.router.upstreams.map((upstream) => upstreamState(upstream, lists)),
    models: core.router.upstreams.flatMap((upstream) => modelsOf(core, upstream, lists)),
    conversations: conversations.list(),
    settings: { ...live, places: keeper?.places ?? UNKEPT },
    unhelped: stats.unhelped(),
    errors: stats.errors().map(({ at, code, upstream, model }) => ({
      at,
      code,
      upstream: upstream ?? null,
      model: model ?? null,
    })),
  };
}

const NOWHERE = { notStored: 'This gateway stores no settings.' };
const UNKEPT = { compactor: NOWHERE, inputThreshold: NOWHERE, warningThreshold: NOWHERE, upstreams: NOWHERE };

function upstreamState(upstream: Upstream, lists: ServerLists): PageUpstream {
  const list = lists.of(upstream);
  return {
    name: upstream.name,
    baseUrl: publicAddress(upstream),
    compaction: upstream.compaction,
    state: list === undefined ? null : list.problem === undefined ? 'answers' : 'failed',
    problem: list?.problem ?? null,
    listedModels: list?.models.length ?? 0,
  };
}

/** Models with requests first, then listed ones. */
function modelsOf(core: GatewayCore, upstream: Upstream, lists: ServerLists): PageModel[] {
  const listed = new Set(lists.of(upstream)?.models);
  const used = core.stats.all().filter((stats) => stats.upstream === upstream.name);
  const counts = new Map(used.map((stats) => [stats.model, stats]));
  const rest = [...listed].filter((model) => !counts.has(model)).slice(0, MAX_LISTED);
  return [...counts.keys(), ...rest].map((model) => {
    const {
      requests = 0,
      compactions = 0,
      restarts = 0,
      overflows = 0,
      tokensSaved = 0,
    } = counts.get(model) ?? {};
    return {
      upstream: upstream.name,
      model,
      windows: windowsOf(core, upstream, model),
      isListed: listed.has(model),
      ...{ requests, compactions, restarts, overflows, tokensSaved },
    };
  });
}

function windowsOf({ windows }: GatewayCore, upstream: Upstream, model: string): ModelWindows {
  const { loaded, learned, configured, catalogue } = windows.sourcesOf(upstream, model);
  return {
    used: windows.known(upstream, model) ?? null,
    loaded: loaded ?? null,
    learned: learned ?? null,
    configured: configured ?? null,
    catalogue: catalogue ?? null,
    setting: windowSetting(upstream.name, model),
  };
}
