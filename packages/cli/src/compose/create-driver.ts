import { modelInfoOf, type ResolvedModel, type ResolvedWindow, resolveWindow } from '@longhaul/config';
import type { ModelDriver, ServerWindow } from '@longhaul/core';
import { createModelDriver } from '@longhaul/drivers';
import { checkServer, probeWindow, type WindowMemory } from '@longhaul/models';

export interface DriverOptions {
  /** `--window`. */
  window?: number;
  stallMs: number;
  /** Stores the windows that servers' refusals teach. Absent: they are learned for this driver alone. */
  windows?: Promise<WindowMemory>;
}

export interface OpenDriver {
  driver: ModelDriver;
  window: ResolvedWindow;
}

/** Creates a driver for the model, with the window that its server has taught or reports. */
export async function createDriver(model: ResolvedModel, options: DriverOptions): Promise<OpenDriver> {
  const server = watchServer(model, options.windows);
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
    info: modelInfoOf(model, window),
    serverWindow: server,
  });
  return { driver, window };
}

interface WatchedServer extends ServerWindow {
  remembered: (reportedTokens: number | undefined) => Promise<number | undefined>;
}

/** The window of one model at one server: remembered, reported, and learned from refusals. */
function watchServer(model: ResolvedModel, windows: Promise<WindowMemory> | undefined): WatchedServer {
  const { baseUrl, apiKey, serverKind } = model;
  const served = { baseUrl: (baseUrl ?? `${model.kind}:`).replace(/\/+$/, ''), model: model.model };
  let lastReport: number | undefined;
  return {
    async remembered(reportedTokens) {
      lastReport = reportedTokens;
      return (await windows)?.learnedWindow(served, reportedTokens);
    },
    async reported() {
      if (baseUrl === undefined) return undefined;
      const report = await probeWindow({ baseUrl, model: model.model, apiKey, kind: serverKind });
      lastReport = report?.windowTokens ?? lastReport;
      return report?.windowTokens;
    },
    async learned(windowTokens) {
      await (await windows)?.learnWindow(served, windowTokens, lastReport);
    },
  };
}
