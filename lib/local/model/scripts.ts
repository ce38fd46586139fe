import type { Facts, Turn } from './facts.ts'
import { truncate } from './text.ts'

interface ScriptFacts extends Facts {
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

const createParameter = (name: string): Parameter => ({
  name,
  label: (name[0] ?? '').toUpperCase() + name.slice(1).replaceAll('_', ' '),
  type: /host|server|computer/.test(name) ? 'hostname' : /path|folder|file/.test(name) ? 'path' : 'string',
  required: true,
  choices: null,
})

/** The scripts for each action and language. `target` is a literal or a placeholder. */
const scriptTemplates = {
  restart: {
    powershell: (target: string) => `Restart-Service -Name ${target} -Force\nGet-Service -Name ${target}`,
    bash: (target: string) => `systemctl restart -- ${target}\nsystemctl status --no-pager -- ${target}`,
    python: (target: string) =>
      `import subprocess\nsubprocess.run(["systemctl", "restart", "--", ${target}], check=True)`,
  },
  stop: {
    powershell: (target: string) => `Stop-Service -Name ${target}`,
    bash: (target: string) => `systemctl stop -- ${target}`,
    python: (target: string) =>
      `import subprocess\nsubprocess.run(["systemctl", "stop", "--", ${target}], check=True)`,
  },
  ping: {
    powershell: (target: string) => `Test-Connection -ComputerName ${target} -Count 4`,
    bash: (target: string) => `ping -c 4 -- ${target}`,
    python: (target: string) =>
      `import subprocess\nsubprocess.run(["ping", "-c", "4", ${target}], check=True)`,
  },
  list: {
    powershell: (target: string) => `Get-ChildItem -LiteralPath ${target}`,
    bash: (target: string) => `ls -la -- ${target}`,
    python: (target: string) => `import os\nfor name in sorted(os.listdir(${target})):\n    print(name)`,
  },
} as const
type Language = keyof (typeof scriptTemplates)['restart']
const actionPattern =
  /\b(restart|stop|ping|list)s?\b\s+(?:the\s+)?(?:service\s+|files?\s+in\s+)?(\{\{\s*\w+\s*\}\}|["'“]?[\w./\\:-]+["'”]?)/i
const hostPattern = /\bon\s+(?:the\s+)?(?:host\s+|server\s+)?\{\{\s*(\w+)\s*\}\}/i

/**
 * Write the script that a message such as “restart X on {{ host }}” asks for, with a parameter for each
 * placeholder.
 */
export function createScriptTurn(facts: ScriptFacts, turns: readonly Turn[]) {
  const text = turns.findLast(({ role }) => role === 'user')?.text ?? ''
  const language = (facts.language ?? 'powershell') as Language
  const match = actionPattern.exec(text)
  const template = scriptTemplates[(match?.[1]?.toLowerCase() ?? '') as keyof typeof scriptTemplates]
  if (!match || !template)
    return {
      reply: `I can write scripts that restart or stop a service, ping a host, or list a folder; “${truncate(text, 300)}” is none of these. Which service, host or folder is it?`,
      script: null,
    }
  const target = (match[2] ?? '').replace(/["'“”]/g, '')
  const targetParameter = /^\{\{\s*(\w+)\s*\}\}$/.exec(target)?.[1]?.toLowerCase()
  const host = hostPattern.exec(text)?.[1]?.toLowerCase()
  const parameterNames = [...new Set([targetParameter, host].filter((name): name is string => Boolean(name)))]
  const literal = language === 'powershell' ? `'${target.replaceAll("'", "''")}'` : JSON.stringify(target)
  const command = template[language](targetParameter ? `{{ ${targetParameter} }}` : literal)
  const body =
    host && language === 'powershell'
      ? `Invoke-Command -ComputerName {{ ${host} }} -ScriptBlock {\n${command.replace(/^/gm, '  ')}\n}`
      : command
  const usedNames = parameterNames.filter((name) => body.includes(`{{ ${name} }}`))
  return {
    reply: `This does what you asked: “${truncate(text, 300)}”.${usedNames.length > 0 ? ` It asks for ${usedNames.join(' and ')}.` : ''}`,
    script: { body: `${body}\n`, parameters: usedNames.map(createParameter) },
  }
}
