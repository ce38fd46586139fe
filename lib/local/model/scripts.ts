import type { Facts, Turn } from './facts.ts'
import { truncate } from './text.ts'
import texts from './texts.json' with { type: 'json' }

interface ScriptFacts extends Facts {
  language?: string
}

const requestPattern =
  /\b(restart|stop|ping)s?\b\s+(?:the\s+)?(?:service\s+)?(\{\{\s*\w+\s*\}\}|[\w./\\:-]+)(?:\s+on\s+\{\{\s*(\w+)\s*\}\})?/i

/**
 * Write the script that a message such as “restart X on {{ host }}” asks for, with a parameter for each
 * placeholder.
 */
export function writeScript(
  { language: requestedLanguage = 'powershell' }: ScriptFacts,
  turns: readonly Turn[],
) {
  const language = requestedLanguage as keyof (typeof texts.scripts)['restart']
  const text = turns.findLast(({ role }) => role === 'user')?.text ?? ''
  const [, action = '', target = '', host] = requestPattern.exec(text) ?? []
  const template = texts.scripts[action.toLowerCase() as keyof typeof texts.scripts]
  const quote = `“${truncate(text, 300)}”`
  if (!template)
    return {
      reply: `I can write scripts that restart or stop a service, or ping a host; ${quote} is none of these.`,
      script: null,
    }
  const parameter = /\w+/.exec(target.startsWith('{{') ? target : '')?.[0]
  const literal = language === 'powershell' ? `'${target}'` : JSON.stringify(target)
  const command = template[language].replaceAll('{target}', parameter ? `{{ ${parameter} }}` : literal)
  const isRemote = host !== undefined && language === 'powershell'
  const body = isRemote
    ? `Invoke-Command -ComputerName {{ ${host} }} -ScriptBlock {\n${command.replace(/^/gm, '  ')}\n}`
    : command
  const names = new Set([parameter, isRemote ? host : undefined].filter((name) => name !== undefined))
  return {
    reply: `This does what you asked: ${quote}.`,
    script: { body: `${body}\n`, parameters: Array.from(names, createParameter) },
  }
}

const createParameter = (name: string) => ({
  name,
  label: name.replaceAll('_', ' '),
  type: /host|server|computer/.test(name) ? 'hostname' : 'string',
  required: true,
  choices: null,
})
