import { prices } from './prices.ts'
import { type AccountCount, assumptions, type Counts, type Usage } from './usage.ts'

/** What one vendor must be paid per month. */
export interface VendorCost {
  vendor: string
  plan: string
  dollars: number
}

const hoursPerMonth = 730
const secondsPerHour = 3600
const above = (used: number, included: number) => Math.max(0, used - included)

/** Return what all accounts use per month. */
export function estimateMonth(usage: Usage, accounts: AccountCount) {
  const { techniciansPerAccount, shiftsPerMonth, readsPerShift, uploadsPerShift } = assumptions
  const shifts = accounts * techniciansPerAccount * shiftsPerMonth
  const shift = sumShift(usage)
  const cronRuns = hoursPerMonth * 60
  return {
    shifts,
    // A read counts in the limiter once and makes one round trip.
    requests: shifts * (shift.requests + readsPerShift) + cronRuns,
    roundTrips: shifts * (shift.roundTrips + readsPerShift),
    redisCommands: shifts * (shift.redisCommands + readsPerShift),
    queueMessages: shifts * shift.queueMessages,
    mails: shifts * shift.mails,
    aiCalls: shifts * shift.aiCalls,
    uploads: shifts * uploadsPerShift,
    writtenGb: (shifts * bytesPerShift(usage)) / 1e9,
  }
}

/** Add up the chapters of the tour as often as a shift has them. */
function sumShift({ chapters }: Usage): Counts {
  const { flowsPerShift, aiSessionsPerShift, escalationsPerShift } = assumptions
  const times = {
    'Run a flow on a ticket': flowsPerShift,
    'Ask the AI and escalate': aiSessionsPerShift,
    'Pick up the escalation': escalationsPerShift,
  }
  const sum: Counts = { requests: 0, roundTrips: 0, redisCommands: 0, queueMessages: 0, mails: 0, aiCalls: 0 }
  for (const [name, factor] of Object.entries(times)) {
    const counts = Object.entries(chapters).find(([title]) => title.endsWith(name))?.[1]
    if (!counts) throw new Error(`The measurement has no chapter ${name}`)
    for (const count of Object.keys(sum) as (keyof Counts)[]) sum[count] += factor * counts[count]
  }
  return sum
}

/**
 * The tour has one ticket with a flow and one with the AI, so its rows are those of about a sixth of a shift.
 */
function bytesPerShift({ tables }: Usage): number {
  const { flowsPerShift, aiSessionsPerShift, indexFactor } = assumptions
  const tour = Object.values(tables).reduce((sum, { bytesPerRow, rows }) => sum + bytesPerRow * rows, 0)
  return (tour * indexFactor * (flowsPerShift + aiSessionsPerShift)) / 2
}

/** Return what each vendor costs per month, with the plan that the service needs. */
export function estimateCosts(usage: Usage, accounts: AccountCount): VendorCost[] {
  const month = estimateMonth(usage, accounts)
  const storedGb = month.writtenGb * assumptions.monthsKept
  return [
    {
      vendor: 'Cloudflare Workers',
      plan: 'Paid',
      dollars: costWorkers(month.requests, month.requests * assumptions.cpuMsPerRequest),
    },
    { vendor: 'Durable Objects', plan: 'in Workers Paid', dollars: costDurableObjects(month) },
    { vendor: 'R2', plan: 'usage', dollars: costR2(month.uploads) },
    {
      vendor: 'Images',
      plan: month.uploads > prices.images.includedTransformations ? 'Paid' : 'Free',
      dollars: costImages(month.uploads),
    },
    costNeon(accounts, storedGb, month.writtenGb),
    costRedis(month.redisCommands),
    costQstash(month.queueMessages),
    costResend(month.mails),
    { vendor: 'OpenAI', plan: 'usage', dollars: costOpenai(month.aiCalls, usage) },
  ]
}

/** Return what the Worker costs per month. */
export function costWorkers(requests: number, cpuMs: number): number {
  const { plan, includedRequests, perRequest, includedCpuMs, perCpuMs } = prices.workers
  return plan + above(requests, includedRequests) * perRequest + above(cpuMs, includedCpuMs) * perCpuMs
}

/** With WebSockets an object is billed for requests alone, because it hibernates. */
function costDurableObjects({ shifts, queueMessages }: { shifts: number; queueMessages: number }): number {
  const { includedRequests, perRequest } = prices.durableObjects
  // A connection per shift, a ping per 5 minutes of which 20 count as one request, and an event per message
  // of the queue.
  const pings = (assumptions.streamHours * 12) / 20
  return above(shifts * (1 + pings) + queueMessages, includedRequests) * perRequest
}

/**
 * Return what open event streams would cost more than WebSockets: each account's object then stays in memory.
 */
export function costEventStreams(accounts: number): number {
  const { includedGbSeconds, perGbSecond, gigabytes } = prices.durableObjects
  const seconds = accounts * assumptions.shiftsPerMonth * assumptions.streamHours * secondsPerHour
  return above(seconds * gigabytes, includedGbSeconds) * perGbSecond
}

function costR2(uploads: number): number {
  const { includedGb, perGb, includedWrites, perWrite, includedReads, perRead } = prices.r2
  const storedGb = (uploads * assumptions.monthsKept * assumptions.uploadBytes) / 1e9
  // Each upload is read ten times.
  return (
    above(storedGb, includedGb) * perGb +
    above(uploads, includedWrites) * perWrite +
    above(uploads * 10, includedReads) * perRead
  )
}

const costImages = (uploads: number) =>
  above(uploads, prices.images.includedTransformations) * prices.images.perTransformation

function costNeon(accounts: AccountCount, storedGb: number, writtenGb: number): VendorCost {
  const { launchCuHour, scaleCuHour, perGb, perHistoryGb } = prices.neon
  // Scale has the uptime SLA and 30 days of history.
  const isLarge = accounts >= 1000
  const compute = assumptions.computeUnits[accounts] * hoursPerMonth * (isLarge ? scaleCuHour : launchCuHour)
  const dollars = compute + storedGb * perGb + writtenGb * assumptions.historyShare * perHistoryGb
  return {
    vendor: 'Neon',
    plan: `${isLarge ? 'Scale' : 'Launch'}, ${assumptions.computeUnits[accounts]} CU`,
    dollars,
  }
}

function costRedis(commands: number): VendorCost {
  const { freeCommands, perCommand } = prices.redis
  const isFree = commands <= freeCommands
  return {
    vendor: 'Upstash Redis',
    plan: isFree ? 'Free' : 'Pay as you go',
    dollars: isFree ? 0 : commands * perCommand,
  }
}

function costQstash(messages: number): VendorCost {
  // All shifts of a month fall on its working days.
  const isFree = messages / assumptions.shiftsPerMonth <= prices.qstash.freePerDay
  return {
    vendor: 'Upstash QStash',
    plan: isFree ? 'Free' : 'Pay as you go',
    dollars: isFree ? 0 : messages * prices.qstash.perMessage,
  }
}

function costResend(mails: number): VendorCost {
  const { freePerMonth, freePerDay, plans } = prices.resend
  if (mails <= freePerMonth && mails / assumptions.shiftsPerMonth <= freePerDay)
    return { vendor: 'Resend', plan: 'Free', dollars: 0 }
  const offers = plans.map((plan) => ({
    vendor: 'Resend',
    plan: plan.name,
    dollars: plan.dollars + above(mails, plan.mails) * plan.perMoreMail,
  }))
  return offers.reduce((best, offer) => (offer.dollars < best.dollars ? offer : best))
}

function costOpenai(calls: number, { tokensPerAiCall }: Usage): number {
  return calls * (tokensPerAiCall.input * prices.openai.input + tokensPerAiCall.output * prices.openai.output)
}
