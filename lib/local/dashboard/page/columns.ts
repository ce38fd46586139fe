import type { LogLine } from '#local/dashboard/log-lines.ts'
import type { RecordedCall, RecordTypes } from '#local/vendors/records.ts'
import type { ChatTool } from '#vendors/chat/chat.ts'
import type { ListSection } from './place.ts'

/** An item of a list: a record of a service, or a line of the log. */
export type Item<S extends ListSection> = S extends keyof RecordTypes ? RecordTypes[S] : LogLine

/** What a list shows of an item. */
interface Columns<T> {
  title(item: T): string
  subtitle?(item: T): string
  status?(item: T): string | number | null | undefined
  isBad?(item: T): boolean
}

const toolNames: Record<ChatTool, string> = { 1: 'Slack', 2: 'Teams' }

const callColumns: Columns<RecordedCall> = {
  title: ({ method, path }) => `${method} ${path}`,
  status: ({ status }) => status,
  isBad: ({ status }) => status >= 400,
}

const columns: { [S in ListSection]: Columns<Item<S>> } = {
  mail: { title: ({ subject }) => subject, subtitle: ({ to }) => to.join(', ') },
  chat: {
    title: ({ tool, path }) => `${toolNames[tool]} ${path}`,
    status: ({ accepted }) => (accepted ? null : 'refused'),
    isBad: ({ accepted }) => !accepted,
  },
  phone: {
    title: ({ kind, text }) => `${kind === 'sms' ? 'SMS' : 'Call'}: ${text}`,
    subtitle: ({ to, provider }) => `to ${to} through ${provider}`,
    status: ({ refused }) => refused,
    isBad: ({ refused }) => refused !== undefined,
  },
  queue: {
    title: ({ url }) => new URL(url).pathname,
    subtitle: ({ due_at, attempts }) => `due ${due_at.slice(11, 19)}, attempts: ${attempts}`,
    status: ({ state }) => state,
    isBad: ({ state }) => state === 'failed' || state === 'dead',
  },
  hooks: {
    title: ({ name }) => `/hooks/${name}`,
    subtitle: ({ body }) => body.slice(0, 80),
    status: ({ accepted, signature }) => (accepted ? `signature ${signature}` : 'refused by a fault'),
    isBad: ({ accepted, signature }) => !accepted || signature === 'invalid',
  },
  push: {
    title: ({ message }) => message?.title ?? 'A message',
    subtitle: ({ message, browser }) => message?.body ?? browser,
    status: ({ refused }) => refused,
    isBad: ({ refused }) => refused !== null,
  },
  ai: {
    title: describeTask,
    subtitle: ({ usage }) =>
      usage
        ? `${formatNumber(usage.input)} + ${formatNumber(usage.output)} tokens, ${formatCents(usage.cents)} ¢`
        : '',
    status: ({ usage, status }) => (usage ? null : status),
    isBad: ({ usage }) => !usage,
  },
  psa: callColumns,
  billing: callColumns,
  analytics: callColumns,
  redirect: {
    title: ({ service, method, path }) => `${service}: ${method} ${path}`,
    subtitle: ({ body }) => body.slice(0, 100),
  },
  logs: {
    title(line) {
      const { operation, job, method, text } = line
      const request = method ? `${method} (no operation)` : undefined
      return String(operation ?? job ?? request ?? text ?? Object.keys(line)[1]).slice(0, 200)
    },
    subtitle: ({ ms }) => (ms === undefined ? '' : `${ms} ms`),
    status: ({ status }) => status as number,
    isBad: (line) => Number(line.status ?? 0) >= 500 || 'error' in line,
  },
}

export function describeItem<S extends ListSection>(section: S, item: Item<S>) {
  const { title, subtitle, status, isBad } = columns[section] as Columns<Item<S>>
  return {
    title: title(item),
    subtitle: subtitle?.(item) ?? '',
    status: status?.(item),
    isBad: isBad?.(item),
  }
}

/** Return the task of a call of the model, such as `escalation assessment`. */
export function describeTask({ task, path }: RecordTypes['ai']): string {
  return task?.replaceAll('_', ' ') ?? path
}

/** Write a number with separators between its thousands. */
export function formatNumber(value: number): string {
  return value.toLocaleString('en')
}

/** Write an amount of cents with two digits after the point. */
export function formatCents(cents: number): string {
  return cents.toFixed(2)
}
