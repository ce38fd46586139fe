import type { Facts, Said } from './case.ts'
import { cut } from './words.ts'

interface Scripted extends Facts {
  language?: string
  script?: string | null
  parameters?: { name: string; label: string; type: string; required: boolean; choices?: string[] }[]
}
interface Parameter {
  name: string
  label: string
  type: 'string' | 'hostname' | 'path'
  required: boolean
  choices: null
}

const parameter = (name: string): Parameter => ({
  name,
  label: (name[0] ?? '').toUpperCase() + name.slice(1).replaceAll('_', ' '),
  type: /host|server|computer/.test(name) ? 'hostname' : /path|folder|file/.test(name) ? 'path' : 'string',
  required: true,
  choices: null,
})

/** What can be said in each language, with the thing it is done to. */
const actions = {
  restart: {
    powershell: (what: string) => `Restart-Service -Name ${what} -Force\nGet-Service -Name ${what}`,
    bash: (what: string) => `systemctl restart -- ${what}\nsystemctl status --no-pager -- ${what}`,
    python: (what: string) => `import subprocess\nsubprocess.run(["systemctl", "restart", "--", ${what}], check=True)`,
  },
  stop: {
    powershell: (what: string) => `Stop-Service -Name ${what}`,
    bash: (what: string) => `systemctl stop -- ${what}`,
    python: (what: string) => `import subprocess\nsubprocess.run(["systemctl", "stop", "--", ${what}], check=True)`,
  },
  ping: {
    powershell: (what: string) => `Test-Connection -ComputerName ${what} -Count 4`,
    bash: (what: string) => `ping -c 4 -- ${what}`,
    python: (what: string) => `import subprocess\nsubprocess.run(["ping", "-c", "4", ${what}], check=True)`,
  },
  list: {
    powershell: (what: string) => `Get-ChildItem -LiteralPath ${what}`,
    bash: (what: string) => `ls -la -- ${what}`,
    python: (what: string) => `import os\nfor name in sorted(os.listdir(${what})):\n    print(name)`,
  },
} as const
type Language = keyof (typeof actions)['restart']
const wanted = /\b(restart|stop|ping|list)s?\b\s+(?:the\s+)?(?:service\s+|files?\s+in\s+)?(\{\{\s*\w+\s*\}\}|["'“]?[\w./\\:-]+["'”]?)/i
const hosted = /\bon\s+(?:the\s+)?(?:host\s+|server\s+)?\{\{\s*(\w+)\s*\}\}/i

/** From “write a script that restarts X on {{ host }}” to that script with that parameter; what it cannot write it says. */
export function scriptTurn(facts: Scripted, said: readonly Said[]) {
  const text = said.findLast(({ role }) => role === 'user')?.text ?? ''
  const language = (facts.language ?? 'powershell') as Language
  const found = wanted.exec(text)
  const action = actions[(found?.[1]?.toLowerCase() ?? '') as keyof typeof actions]
  if (!found || !action)
    return {
      reply: `I can write scripts that restart or stop a service, ping a host, or list a folder; “${cut(text, 300)}” is none of these. Which service, host or folder is it?`,
      script: null,
    }
  const thing = (found[2] ?? '').replace(/["'“”]/g, '')
  const named = /^\{\{\s*(\w+)\s*\}\}$/.exec(thing)?.[1]?.toLowerCase()
  const host = hosted.exec(text)?.[1]?.toLowerCase()
  const names = [...(named ? [named] : []), ...(host && host !== named ? [host] : [])]
  const literal = language === 'powershell' ? `'${thing.replaceAll("'", "''")}'` : JSON.stringify(thing)
  const core = action[language](named ? `{{ ${named} }}` : literal)
  const body =
    host && language === 'powershell' ? `Invoke-Command -ComputerName {{ ${host} }} -ScriptBlock {\n${core.replace(/^/gm, '  ')}\n}` : core
  const used = names.filter((name) => body.includes(`{{ ${name} }}`))
  return {
    reply: `This does what you asked: “${cut(text, 300)}”.${used.length > 0 ? ` It asks for ${used.join(' and ')}.` : ''}`,
    script: { body: `${body}\n`, parameters: used.map(parameter) },
  }
}
