import './settings.css';
import { useCallback } from 'react';
import { useServer } from '../data/server.ts';
import { useRead } from '../data/use-read.ts';
import { PageHeader } from '../shell/page-header.tsx';
import { ApprovalRules } from './approval-rules.tsx';
import { CompactionSettings } from './compaction-settings.tsx';
import { ConfigTable } from './config-table.tsx';
import { McpTable } from './mcp-table.tsx';
import { ModelList } from './model-list.tsx';
import { PruningAgentSetting } from './pruning-agent-setting.tsx';
import { AgentTable, ProviderTable } from './server-lists.tsx';
import { SettingsSection } from './settings-section.tsx';
import { SkillTable } from './skill-table.tsx';
import { ThemeSetting } from './theme-setting.tsx';
import { useSettings } from './use-settings.ts';

/** What can be changed here, and what the configuration of the server says. */
export function SettingsPage({ onOpenSide }: { onOpenSide: () => void }) {
  const { client } = useServer();
  const config = useRead(useCallback((signal) => client.config({ signal }), [client]));
  const agents = useRead(useCallback((signal) => client.agents({ signal }), [client]));
  const models = useRead(useCallback((signal) => client.models({ signal }), [client]));
  const providers = useRead(useCallback((signal) => client.providers({ signal }), [client]));
  const mcp = useRead(useCallback((signal) => client.mcp.list({}, { signal }), [client]));
  const skills = useRead(useCallback((signal) => client.skills.list({}, { signal }), [client]));
  const edited = useSettings(config.again);
  const { result } = edited;
  return (
    <>
      <PageHeader title="Settings" onOpenSide={onOpenSide} />
      <div className="page-body settings">
        <SettingsSection title="Appearance">
          <ThemeSetting />
        </SettingsSection>
        <SettingsSection title="Compaction" problem={edited.problem}>
          <p className="quiet">
            A change is saved at once, for all sessions, and used from the next step on.
          </p>
          <CompactionSettings edited={edited} origins={config.value?.origins} />
          <PruningAgentSetting
            edited={edited}
            agents={agents.value?.agents ?? []}
            models={(models.value?.models ?? []).map(({ name }) => name)}
          />
          <p role="status" className={result?.kind === 'failed' ? 'bad save-result' : 'save-result'}>
            {result?.words}
          </p>
        </SettingsSection>
        <SettingsSection title="Agents" problem={agents.problem}>
          {agents.value !== undefined && <AgentTable agents={agents.value.agents} />}
        </SettingsSection>
        <SettingsSection title="Models" problem={models.problem}>
          <ModelList usable={models.value} />
        </SettingsSection>
        <SettingsSection title="Providers" problem={providers.problem}>
          {providers.value !== undefined && (
            <ProviderTable providers={providers.value.providers} models={models.value?.models} />
          )}
        </SettingsSection>
        <SettingsSection title="MCP servers" problem={mcp.problem}>
          {mcp.value !== undefined && <McpTable servers={mcp.value.servers} />}
        </SettingsSection>
        <SettingsSection title="Skills" problem={skills.problem}>
          {skills.value !== undefined && <SkillTable list={skills.value} />}
        </SettingsSection>
        <SettingsSection title="Approvals" problem={config.problem}>
          {config.value !== undefined && <ApprovalRules approvals={config.value.config['approvals']} />}
        </SettingsSection>
        <SettingsSection title="All values" problem={config.problem}>
          {config.value !== undefined && <ConfigTable report={config.value} />}
        </SettingsSection>
      </div>
    </>
  );
}
