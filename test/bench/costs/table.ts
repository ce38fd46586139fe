import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { costEventStreams, estimateCosts, estimateMonth } from './estimate.ts'
import { estimateNeeds, type Needs } from './needs.ts'
import { sources } from './prices.ts'
import type { ProcessorTime } from './processor-time.ts'
import { accountCounts, type Usage } from './usage.ts'

/** The stored measurement. */
export const usageFile = join(import.meta.dirname, 'usage.json')
export const readUsage = () => JSON.parse(readFileSync(usageFile, 'utf8')) as Usage

const [start, end] = ['<!-- costs -->', '<!-- end of costs -->']

/** Return the README with its table of costs replaced. */
export function replaceTable(readme: string, table: string): string {
  const [before, rest] = readme.split(`${start}\n`)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined)
    throw new Error('The README has no marks for the table of costs')
  return `${before}${start}\n${table}\n${end}${after}`
}

const dollars = (amount: number) => `$${Math.round(amount).toLocaleString('en-US')}`
const count = (amount: number) =>
  amount >= 1e6 ? `${(amount / 1e6).toFixed(1)} M` : Math.round(amount).toLocaleString('en-US')
const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`

/** Write what each vendor costs, what is used, and what the busiest hour needs, as tables of markdown. */
export function writeTable(usage: Usage, time: ProcessorTime): string {
  const needs = accountCounts.map((accounts) => estimateNeeds(usage, time, accounts))
  const costs = accountCounts.map((accounts) => estimateCosts(usage, accounts))
  const months = accountCounts.map((accounts) => estimateMonth(usage, accounts))
  const heading = [
    'per month',
    ...accountCounts.map((accounts) => `${accounts.toLocaleString('en-US')} accounts`),
  ]
  const divider = row(heading.map(() => '---'))
  const link = (vendor: string) => sources.find((source) => source.vendor === vendor)?.url ?? ''
  const vendors = (costs[0] ?? []).map(({ vendor }, index) =>
    row([
      `[${vendor}](${link(vendor)})`,
      ...costs.map((list) => `${dollars(list[index]?.dollars ?? 0)} (${list[index]?.plan})`),
    ]),
  )
  const total = row([
    '**total**',
    ...costs.map((list) => `**${dollars(list.reduce((sum, cost) => sum + cost.dollars, 0))}**`),
  ])
  const streams = row([
    'with event streams instead of WebSockets',
    ...accountCounts.map((accounts) => `+ ${dollars(costEventStreams(accounts))}`),
  ])
  const used = (name: string, read: (month: (typeof months)[number]) => string) =>
    row([name, ...months.map(read)])
  const needed = (name: string, read: (need: Needs) => string) => row([name, ...needs.map(read)])
  return [
    ...[row(heading), divider, ...vendors, total, streams, '', row(heading), divider],
    used('requests to the Worker', (month) => count(month.requests)),
    used('round trips to PostgreSQL', (month) => count(month.roundTrips)),
    used('commands to Redis', (month) => count(month.redisCommands)),
    used('messages of the queue', (month) => count(month.queueMessages)),
    used('e-mails', (month) => count(month.mails)),
    used('calls to the model', (month) => count(month.aiCalls)),
    used('written to PostgreSQL', (month) => `${month.writtenGb.toFixed(1)} GB`),
    ...['', row(['in the busiest hour', ...heading.slice(1)]), divider],
    needed('requests per second', ({ requestsPerSecond }) => count(requestsPerSecond)),
    needed('on Node: cores in use', ({ nodeCores }) => nodeCores.toFixed(1)),
    needed('on Node: processes', ({ nodeProcesses }) => count(nodeProcesses)),
    needed('on Node: connections to PostgreSQL at most', ({ connections }) => count(connections)),
    needed('on both: cores of PostgreSQL in use', ({ postgresCores }) => postgresCores.toFixed(1)),
    needed('on both: rows and indexes of a year', ({ storedGb }) => `${count(storedGb)} GB`),
  ].join('\n')
}
