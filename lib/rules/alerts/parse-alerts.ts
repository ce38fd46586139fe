import { clip } from '#rules/text/clip.ts'
import { isTooDeep, parseJson } from '#rules/text/json.ts'
import { removeInvisible } from '#rules/text/plain-name.ts'
import { readPointer } from './json-pointer.ts'

export const alertFormats = ['alertmanager', 'zabbix', 'json'] as const
export type AlertFormat = (typeof alertFormats)[number]

/** What is read of each alert. */
export const alertFields = [
  'title',
  'text',
  'fingerprint',
  'status',
  'severity',
  'client',
  'machine',
  'occurrence',
] as const
export type AlertField = (typeof alertFields)[number]

/** Where a body has its alerts: JSON pointers. Those of the fields start at the alert. */
export type AlertMapping = { [F in AlertField | 'alerts']?: string | undefined } & { title: string }

export interface ParsedAlert {
  /** What makes two reports the same alert. Null if the sender gives nothing: then title, client and machine. */
  fingerprint: string | null
  title: string
  body: string
  severity: string | null
  client_name: string | null
  asset_name: string | null
  /** What differs each time the alert fires, such as its start. Null if the sender gives nothing. */
  occurrence: string | null
  isResolved: boolean
}

export interface ParsedAlerts {
  alerts: ParsedAlert[]
  /** Alerts without a title. */
  untitled: number
  /** Alerts beyond the most that one call may have. */
  dropped: number
}

export const maxAlertsPerCall = 200

type Paths = { [F in AlertField]?: readonly string[] } & { alerts: string | undefined }

/**
 * The formats that are known. Alertmanager: https://prometheus.io/docs/alerting/latest/configuration/#webhook_config.
 * Zabbix: a webhook that sends its parameters as JSON,
 * https://www.zabbix.com/documentation/current/en/manual/config/notifications/media/webhook.
 */
const knownFormats: Record<Exclude<AlertFormat, 'json'>, Paths> = {
  alertmanager: {
    alerts: '/alerts',
    title: ['/annotations/summary', '/annotations/title', '/labels/alertname'],
    text: ['/annotations/description', '/annotations/message'],
    fingerprint: ['/fingerprint'],
    status: ['/status'],
    severity: ['/labels/severity'],
    client: ['/labels/client', '/labels/customer', '/labels/tenant'],
    machine: ['/labels/instance', '/labels/host', '/labels/node'],
    occurrence: ['/startsAt'],
  },
  zabbix: {
    alerts: undefined,
    title: ['/event_name', '/alert_subject'],
    text: ['/alert_message', '/event_opdata'],
    fingerprint: ['/trigger_id', '/event_id'],
    status: ['/event_value', '/event_status'],
    severity: ['/event_severity'],
    client: ['/host_group'],
    machine: ['/host_name', '/host_ip'],
    occurrence: ['/event_id', '/event_time'],
  },
}

function toPaths(format: AlertFormat, mapping: AlertMapping | null): Paths {
  if (format !== 'json') return knownFormats[format]
  const fields = alertFields.flatMap((field) => {
    const pointer = mapping?.[field]
    return pointer === undefined ? [] : [[field, [pointer]] as const]
  })
  return { alerts: mapping?.alerts, ...Object.fromEntries(fields) }
}

/** Read the alerts of a body. Return a sentence that says what is wrong with one that has none. */
export function parseAlerts(
  text: string,
  format: AlertFormat,
  mapping: AlertMapping | null,
): ParsedAlerts | string {
  if (isTooDeep(text)) return 'The body has too many levels'
  const body = parseJson(text)
  if (typeof body !== 'object' || body === null) return 'The body must be a JSON object or list'
  const paths = toPaths(format, mapping)
  const list = paths.alerts === undefined ? body : readPointer(body, paths.alerts)
  const items: unknown[] = Array.isArray(list) ? list : paths.alerts === undefined ? [list] : []
  if (!Array.isArray(list) && paths.alerts !== undefined)
    return `The body must have a list of alerts at ${paths.alerts}`
  const read = items.slice(0, maxAlertsPerCall).map((item) => readAlert(item, paths))
  const alerts = read.filter((alert) => alert !== null)
  return {
    alerts,
    untitled: read.length - alerts.length,
    dropped: Math.max(0, items.length - maxAlertsPerCall),
  }
}

function readAlert(item: unknown, paths: Paths): ParsedAlert | null {
  const read = (field: AlertField) =>
    (paths[field] ?? []).map((pointer) => toText(readPointer(item, pointer))).find((text) => text !== '') ??
    ''
  const readLine = (field: AlertField, max: number) => clip(toLine(read(field)), max) || null
  const title = readLine('title', 300)
  if (title === null) return null
  return {
    fingerprint: toLine(read('fingerprint')) || null,
    title,
    body: clip(read('text'), 4000),
    severity: readLine('severity', 100),
    client_name: readLine('client', 200),
    asset_name: readLine('machine', 200),
    occurrence: readLine('occurrence', 100),
    isResolved: resolvedWords.has(toLine(read('status')).toLowerCase()),
  }
}

/** What monitoring systems write when an alert is over. Every other word, and none, means that it fires. */
const resolvedWords = new Set(
  'resolved resolve ok okay recovery recovered closed close up normal cleared clear 0 false green healthy inactive'.split(
    ' ',
  ),
)

/** Longer texts are cut before anything else is done with them. */
const maxReadLength = 10_000

/** Return a value as text that PostgreSQL can store. A list or an object has none. */
function toText(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string') return ''
  return removeInvisible(value.slice(0, maxReadLength).toWellFormed().replaceAll('\0', '')).trim()
}

const toLine = (text: string) => text.split(/\s+/).join(' ')
