import { modelInfoOf, type ResolvedModel, type ResolvedWindow, resolveWindow } from '@longhaul/config';
import type { ModelDriver, ServerWindow } from '@longhaul/core';
import { createModelDriver } from '@longhaul/drivers';
import { checkServer, type LearnedSettings, probeWindow, type ServerMemory } from '@longhaul/models';

export interface DriverOptions {
  /** `--window`. */
  window?: number;
  stallMs: number;
  /** Keeps what servers' refusals teach. Absent: it is learned for this driver alone. */
  memory?: Promise<ServerMemory>;
}

export interface OpenDriver {
  driver: ModelDriver;
  window: ResolvedWindow;
}

/** Creates a driver for the model, with the window that its server has taught or reports. */
export async function createDriver(model: ResolvedModel, options: DriverOptions): Promise<OpenDriver> {
  const server = watchServer(model, options.memory);
  const { remembered } = server;
  const window = await resolveWindow(model, {
    probe: probeWindow,
    check: checkServer,
    remembered,
    flag: options.window,
  });
  const driver = await createModelDriver({
    kind: model.kind,
    provider: model.provider,
    model: model.model,
    stallMs: options.stallMs,
    baseUrl: model.baseUrl,
    apiKey: model.apiKey,
    strictRoles: model.strictRoles,
    extras: model.extras,
    settings: model.settings,
    learnedSettings: await server.learnedSettings(),
    onLearned: server.learnSettings,
    info: modelInfoOf(model, window),
    serverWindow: server,
  });
  return { driver, window };
}

interface WatchedServer extends ServerWindow {
  remembered: (reportedTokens: number | undefined) => Promise<number | undefined>;
  learnedSettings: () => Promise<LearnedSettings | undefined>;
  learnSettings: (settings: LearnedSettings) => Promise<void>;
}

/** What is known of one model at one server: remembered, reported, and learned from refusals. */
function watchServer(model: ResolvedModel, memory: Promise<ServerMemory> | undefined): WatchedServer {
  const { baseUrl, apiKey, serverKind } = model;
  const served = { baseUrl: (baseUrl ?? `${model.kind}:`).replace(/\/+$/, ''), model: model.model };
  let lastReport: number | undefined;
  return {
    async remembered(reportedTokens) {
      lastReport = reportedTokens;
      return (await memory)?.learnedWindow(served, reportedTokens);
    },
    async reported() {
      if (baseUrl === undefined) return undefined;
      const report = await probeWindow({ baseUrl, model: model.model, apiKey, kind: serverKind });
      lastReport = report?.windowTokens ?? lastReport;
      return report?.windowTokens;
    },
    async learned(windowTokens) {
      await (await memory)?.learnWindow(served, windowTokens, lastReport);
    },
    learnedSettings: async () => (await memory)?.learnedSettings(served),
    async learnSettings(settings) {
      await (await memory)?.learnSettings(served, settings);
    },
  };
}
