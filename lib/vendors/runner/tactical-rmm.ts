import * as z from 'zod'
import { toExitCode } from '#rules/scripts/exit-code.ts'
import { toPowerShellFile } from '#rules/scripts/line-ends.ts'
import { clip } from '#rules/text/clip.ts'
import { parseJson } from '#rules/text/json.ts'
import { removeInvisible } from '#rules/text/plain-name.ts'
import { id, optionalNumber, part, rawText, readItems, requiredList, text, time } from '#vendors/net/wire.ts'
import type { RunnerHttp } from './http.ts'
import {
  type Agent,
  agentIdPattern,
  isSameClient,
  RunnerError,
  type RunnerPort,
  type RunResult,
} from './runner.ts'

// The API of the web interface, with a key in X-API-KEY: https://docs.tacticalrmm.com/functions/api/. Paths
// and fields are those of
// https://github.com/amidaware/tacticalrmm, folder api/tacticalrmm: urls.py, views.py and serializers.py in agents, clients and scripts.

const maxName = 255
const name = text.transform((value) => clip(removeInvisible(value ?? ''), maxName))

const ListedAgent = z.object({
  agent_id: z.string().regex(agentIdPattern),
  hostname: name,
  client_name: name,
  site_name: name,
  plat: name,
  status: text,
  last_seen: time,
})
const Client = z.object({ id, name })
// AgentSerializer names the client `client`, and AgentTableSerializer `client_name`.
const DetailedAgent = z.object({ hostname: name, client: name })
const Ping = z.object({ status: text })
const ListedScript = z.object({ id, name: z.string() })
const Script = z.object({ script_body: z.string(), shell: z.string() })
const Answer = z.unknown()

const shells = { powershell: 'powershell', bash: 'shell', python: 'python' } as const

// `script_results` is null until the agent has reported the end.
const Run = z.object({
  script_results: part(
    z.object({
      stdout: rawText,
      stderr: rawText,
      retcode: optionalNumber,
      execution_time: optionalNumber,
    }),
  ),
})

const items = <S extends z.ZodType>(item: S) =>
  requiredList.transform((list) => readItems('runner', item, list))

/** Call Tactical RMM. Agents that the role of the key may not see are not listed. */
export function createTacticalRmm(http: RunnerHttp): RunnerPort {
  const findClient = async (client: string) => {
    return (await http({ path: '/clients/' }, items(Client))).find(({ name }) => isSameClient(name, client))
  }
  // The name of a script is our reference, by which a repeated call finds what an earlier one has stored.
  const findScript = async (reference: string) => {
    const scripts = await http(
      { path: '/scripts/?showCommunityScripts=false&showHiddenScripts=true' },
      items(ListedScript),
    )
    return scripts.find((each) => each.name === toScriptName(reference))?.id
  }
  return {
    // The list of clients is the smallest answer that needs the key.
    async checkCredentials() {
      await http({ path: '/clients/' }, items(Client))
    },
    async listAgents(client) {
      const found = client === undefined ? undefined : await findClient(client)
      if (client !== undefined && !found) return []
      const agents = await http(
        { path: found ? `/agents/?client=${found.id}` : '/agents/' },
        items(ListedAgent),
      )
      return agents.map(toAgent)
    },
    async findAgent(agentId) {
      const { hostname, client } = await http({ path: `/agents/${agentId}/` }, DetailedAgent)
      return { name: hostname, client }
    },
    async isOnline(agentId) {
      return (await http({ path: `/agents/${agentId}/ping/` }, Ping)).status === 'online'
    },
    // Script.replace_with_snippets in scripts/models.py fills {{name}} with the snippet of that name, so
    // another text would run.
    findScriptProblem: (script) =>
      /\{\{(?:(?!\{\{).)*\}\}/.test(script)
        ? 'has a text in {{ }} after it was filled in, which the runner would replace; record its run by hand'
        : null,
    async storeScript({ reference, title, language, script: text }) {
      const shell = shells[language]
      // The agent writes it to a file as it is: https://github.com/amidaware/tacticalrmm/issues/2474
      const script = language === 'powershell' ? toPowerShellFile(text) : text
      const storedScript = await findScript(reference)
      if (storedScript === undefined) {
        const texts = {
          name: toScriptName(reference),
          description: clip(title, maxName),
          category: 'Support Flow',
          script_body: script,
        }
        await http(
          {
            method: 'POST',
            path: '/scripts/',
            body: { ...texts, shell, hidden: true, args: [], env_vars: [] },
          },
          Answer,
        )
      }
      // The answer to the creation has no id.
      const id = storedScript ?? (await findScript(reference))
      if (id === undefined) throw new RunnerError('refused', 'The runner did not store the script')
      const found = await http({ path: `/scripts/${id}/` }, Script)
      if (found.script_body !== script || found.shell !== shell)
        throw new RunnerError('refused', 'The runner has stored another script')
      return String(id)
    },
    async start(agentId, scriptId, timeLimitSeconds) {
      // `forget` answers at once; every other mode holds the call until the script ends (run_script in
      // agents/views.py).
      const options = {
        output: 'forget',
        args: [],
        env_vars: [],
        run_as_user: false,
        timeout: timeLimitSeconds,
      }
      await http(
        {
          method: 'POST',
          path: `/agents/${agentId}/runscript/`,
          body: { script: Number(scriptId), ...options },
        },
        Answer,
      )
    },
    async findRun(reference) {
      // The row is there from the start on (ScriptRunHistory in agents/views.py).
      const path = `/agents/scripthistory/?scriptname=${toScriptName(reference)}&limit=1`
      const [run] = await http({ path, salvage: salvageRun }, items(Run))
      return {
        isStarted: run !== undefined,
        result: run?.script_results ? toResult(run.script_results) : null,
      }
    },
    async removeScript(reference) {
      const id = await findScript(reference)
      if (id !== undefined) await http({ method: 'DELETE', path: `/scripts/${id}/` }, Answer)
    },
  }
}

const toScriptName = (reference: string) => `support-flow-${reference}`

/**
 * Read the exit code, the time and the end of the output from the ends of a history that is too large to be read
 * whole. The output is in the one text that fills it.
 */
function salvageRun(start: string, end: string): unknown {
  const find = (key: string) => {
    // Bounded: the ends of a history have a fixed size.
    const pattern = new RegExp(`"${key}"\\s*:\\s*"?(-?\\d+(?:\\.\\d+)?)`)
    return (pattern.exec(end) ?? pattern.exec(start))?.[1] ?? null
  }
  // The first line may begin in the middle of an escape, whose quote would be taken for the end.
  const whole = end.slice(Math.max(0, end.indexOf('\\n')))
  // The text ends at the first quote that is not escaped and has a sign of JSON behind it.
  const close = /(?<!\\)(?:\\\\)*"\s*[,}]/.exec(whole)
  const lines = whole.slice(0, close ? close.index + close[0].indexOf('"') : whole.length)
  const stdout = `[The output is too large; this is its end.]${parseJson(`"${lines}"`) ?? ''}`
  const results = { stdout, stderr: null, retcode: find('retcode'), execution_time: find('execution_time') }
  return [{ script_results: results }]
}

function toResult({
  stdout,
  stderr,
  retcode,
  execution_time,
}: NonNullable<z.output<typeof Run>['script_results']>): RunResult {
  const output = [stdout ?? '', stderr ? `Errors:\n${stderr}` : ''].filter(Boolean).join('\n')
  return { exitCode: toExitCode(retcode), output, seconds: Math.max(0, execution_time ?? 0) }
}

function toAgent({
  agent_id,
  hostname,
  client_name,
  site_name,
  plat,
  status,
  last_seen,
}: z.output<typeof ListedAgent>): Agent {
  const names = { name: hostname, client: client_name, site: site_name, platform: plat }
  return { id: agent_id, ...names, is_online: status === 'online', last_seen }
}
