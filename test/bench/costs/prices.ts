import { defaultPrices } from '#rules/ai/prices.ts'

/** Where a price was read, and when. */
export interface Source {
  vendor: string
  url: string
  /** The day of the reading. */
  readOn: string
}

// The pages were read in stored copies, some of them days or weeks old. Look at the page before a decision
// depends on its price.
const readOn = '2026-11-23'

export const sources: readonly Source[] = [
  {
    vendor: 'Cloudflare Workers',
    url: 'https://developers.cloudflare.com/workers/platform/pricing/',
    readOn,
  },
  {
    vendor: 'Durable Objects',
    url: 'https://developers.cloudflare.com/durable-objects/platform/pricing/',
    readOn,
  },
  { vendor: 'R2', url: 'https://developers.cloudflare.com/r2/pricing/', readOn },
  { vendor: 'Images', url: 'https://developers.cloudflare.com/images/pricing/', readOn },
  { vendor: 'Neon', url: 'https://neon.com/docs/introduction/plans', readOn },
  { vendor: 'Upstash Redis', url: 'https://upstash.com/pricing/redis', readOn },
  { vendor: 'Upstash QStash', url: 'https://upstash.com/pricing/qstash', readOn },
  { vendor: 'Resend', url: 'https://resend.com/changelog/pay-as-you-go-pricing', readOn },
  // As in lib/rules/ai/prices.ts.
  { vendor: 'OpenAI', url: 'https://developers.openai.com/api/docs/models/gpt-6.1-terra', readOn },
]

const million = 1e6

/** Prices in dollars. What a plan includes is in `included…`, per month. */
export const prices = {
  workers: {
    plan: 5,
    includedRequests: 10 * million,
    perRequest: 0.3 / million,
    includedCpuMs: 30 * million,
    perCpuMs: 0.02 / million,
  },
  durableObjects: {
    includedRequests: million,
    perRequest: 0.15 / million,
    includedGbSeconds: 400_000,
    perGbSecond: 12.5 / million,
    /** Memory that is billed per active object, in GB. */
    gigabytes: 0.128,
  },
  r2: {
    includedGb: 10,
    perGb: 0.015,
    includedWrites: million,
    perWrite: 4.5 / million,
    includedReads: 10 * million,
    perRead: 0.36 / million,
  },
  images: { includedTransformations: 5000, perTransformation: 0.5 / 1000 },
  neon: { launchCuHour: 0.106, scaleCuHour: 0.222, perGb: 0.35, perHistoryGb: 0.2 },
  redis: { freeCommands: 500_000, perCommand: 0.2 / 100_000 },
  qstash: { freePerDay: 1000, perMessage: 1 / 100_000 },
  /** Plans by the e-mails that they include, the smallest first. */
  resend: {
    freePerMonth: 3000,
    freePerDay: 100,
    plans: [
      { name: 'Pro', dollars: 20, mails: 50_000, perMoreMail: 0.9 / 1000 },
      { name: 'Scale', dollars: 90, mails: 100_000, perMoreMail: 0.9 / 1000 },
      { name: 'Scale, 1 M', dollars: 650, mails: 1_000_000, perMoreMail: 0.65 / 1000 },
    ],
  },
  /** Dollars per token. */
  openai: { input: defaultPrices['*'].input / million, output: defaultPrices['*'].output / million },
} as const
