import * as z from 'zod'

export const services = [
  'postgres',
  'redis',
  'qstash',
  'resend',
  'openai',
  'chat1',
  'chat2',
  'hooks',
  'phone',
  'push',
  'stripe',
  'images',
  'psa',
  'articles',
  'runner',
  'mcp',
  'google',
  'microsoft',
  'analytics',
] as const
/**
 * How the next requests of a service fail. `down` closes the connection, `hang` never responds, `error`
 * returns 503, `client_error` 400, `rate_limit` 429, `garbage` a body that is not JSON, `redirect` a redirect
 * and `gone` 410. `slow` delays the request by `delay_ms` and then handles it. `error` and `rate_limit` ask
 * to wait `retry_after_s` seconds; without it `rate_limit` asks for 120.
 */
const httpModes = [
  'down',
  'hang',
  'error',
  'client_error',
  'rate_limit',
  'garbage',
  'slow',
  'redirect',
  'gone',
] as const
// The queue delivers a message twice, or adds a delivery with an invalid signature.
const deliveryModes = ['duplicate', 'forge'] as const
// `prompt_injection`: the local model returns the text after `OBEY:` anywhere in a request. `refusal`: it
// refuses to answer. `content_filter`: a filter cuts off half of the answer. `cut`: the connection breaks
// after half of the answer.
const modelModes = ['prompt_injection', 'refusal', 'content_filter', 'cut'] as const
// The server describes a tool in other words than before.
const toolModes = ['changed_tool'] as const
// Each mode makes an ID token invalid in exactly one way.
const tokenModes = [
  'wrong_nonce',
  'wrong_audience',
  'wrong_issuer',
  'expired_token',
  'unsigned_token',
  'other_key',
] as const
export const modes = [...httpModes, ...deliveryModes, ...tokenModes, ...modelModes, ...toolModes] as const

export type Service = (typeof services)[number]
export type HttpMode = (typeof httpModes)[number]
export type DeliveryMode = (typeof deliveryModes)[number]
export type TokenMode = (typeof tokenModes)[number]
type ModelMode = (typeof modelModes)[number]
type ToolMode = (typeof toolModes)[number]
type IndependentMode = DeliveryMode | TokenMode | ModelMode | ToolMode
export type Mode = HttpMode | IndependentMode

export const FaultInput = z
  .strictObject({
    service: z.enum(services),
    mode: z.enum(modes),
    times: z.int().min(1).max(1_000_000).optional(),
    delay_ms: z.int().min(0).max(600_000).optional(),
    retry_after_s: z.int().min(0).max(86_400).optional(),
  })
  .refine((fault) => fault.service === 'qstash' || !includesMode(deliveryModes, fault.mode), {
    path: ['mode'],
    error: 'is only available for the queue',
  })
  .refine(
    (fault) => ['google', 'microsoft'].includes(fault.service) || !includesMode(tokenModes, fault.mode),
    {
      path: ['mode'],
      error: 'is only available for the identity providers',
    },
  )
  .refine((fault) => fault.service === 'openai' || !includesMode(modelModes, fault.mode), {
    path: ['mode'],
    error: 'is only available for the model',
  })
  .refine((fault) => fault.service === 'mcp' || !includesMode(toolModes, fault.mode), {
    path: ['mode'],
    error: 'is only available for the MCP server',
  })

export type Fault = z.infer<typeof FaultInput>

export interface FaultChange {
  kind: 'set' | 'used_up' | 'cleared'
  /** Undefined when all faults were cleared. */
  service?: Service
}

export interface Faults {
  /**
   * Replace the service's fault. Delivery, token and model modes are independent: they replace only a fault
   * of the same mode.
   */
  set(fault: Fault): Fault
  clear(): void
  list(): Fault[]
  /**
   * Return the fault for the next request and count down its `times`. Without `mode`, only the HTTP modes are
   * considered.
   */
  take(service: Service, mode?: IndependentMode): Fault | undefined
  /** Return the same fault as `take`, without counting it down. */
  peek(service: Service, mode?: IndependentMode): Fault | undefined
  /** Call the listener after every change. Return a function that removes it. */
  onChange(listener: (change: FaultChange) => void): () => void
}

/** Create a registry of the active faults, in memory. */
export function createFaults(): Faults {
  // One entry per service for the HTTP modes, and one per service and independent mode.
  const activeFaults = new Map<string, Fault>()
  const listeners = new Set<(change: FaultChange) => void>()
  const notify = (change: FaultChange) => {
    for (const listener of [...listeners]) listener(change)
  }
  return {
    set(fault) {
      activeFaults.set(faultKey(fault.service, isIndependent(fault.mode) ? fault.mode : undefined), {
        ...fault,
      })
      notify({ kind: 'set', service: fault.service })
      return fault
    },
    clear() {
      activeFaults.clear()
      notify({ kind: 'cleared' })
    },
    list: () => [...activeFaults.values()].map((fault) => ({ ...fault })),
    peek: (service, mode) => activeFaults.get(faultKey(service, mode)),
    take(service, mode) {
      const key = faultKey(service, mode)
      const fault = activeFaults.get(key)
      if (!fault) return undefined
      const copy = { ...fault }
      if (fault.times !== undefined) fault.times -= 1
      if (fault.times === 0) {
        activeFaults.delete(key)
        notify({ kind: 'used_up', service })
      }
      return copy
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

function faultKey(service: Service, mode?: IndependentMode): string {
  return mode ? `${service}:${mode}` : service
}

function includesMode(modes: readonly Mode[], mode: Mode): boolean {
  return modes.includes(mode)
}

function isIndependent(mode: Mode): mode is IndependentMode {
  return [deliveryModes, tokenModes, modelModes, toolModes].some((independentModes) =>
    includesMode(independentModes, mode),
  )
}
