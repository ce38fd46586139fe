import { z } from 'zod'

export const services = [
  'postgres',
  'redis',
  'qstash',
  'resend',
  'openai',
  'chat1',
  'chat2',
  'stripe',
  'images',
  'psa',
  'google',
  'microsoft',
  'analytics',
] as const
const httpModes = ['down', 'hang', 'error', 'client_error', 'rate_limit', 'garbage', 'slow', 'redirect'] as const
const deliveryModes = ['duplicate', 'forge'] as const
// The model answers whatever its material demands.
const modelModes = ['obey'] as const
// What an ID token can be wrong in, while everything around it is right.
const tokenModes = ['wrong_nonce', 'wrong_audience', 'wrong_issuer', 'expired_token', 'unsigned_token', 'other_key'] as const
export const modes = [...httpModes, ...deliveryModes, ...tokenModes, ...modelModes] as const

export type Service = (typeof services)[number]
export type HttpMode = (typeof httpModes)[number]
export type DeliveryMode = (typeof deliveryModes)[number]
export type TokenMode = (typeof tokenModes)[number]
type ModelMode = (typeof modelModes)[number]
type SideMode = DeliveryMode | TokenMode | ModelMode
export type Mode = HttpMode | SideMode

export const FaultInput = z
  .strictObject({
    service: z.enum(services),
    mode: z.enum(modes),
    times: z.int().min(1).max(1_000_000).optional(),
    delay_ms: z.int().min(0).max(600_000).optional(),
  })
  .refine((fault) => fault.service === 'qstash' || !isOneOf(deliveryModes, fault.mode), {
    path: ['mode'],
    error: 'only the queue duplicates or forges',
  })
  .refine((fault) => ['google', 'microsoft'].includes(fault.service) || !isOneOf(tokenModes, fault.mode), {
    path: ['mode'],
    error: 'only the identity providers issue tokens',
  })
  .refine((fault) => fault.service === 'openai' || !isOneOf(modelModes, fault.mode), {
    path: ['mode'],
    error: 'only the model obeys',
  })

export type Fault = z.infer<typeof FaultInput>

export interface FaultChange {
  kind: 'set' | 'spent' | 'cleared'
  /** Absent when all were cleared. */
  service?: Service
}

export interface Faults {
  /** Replaces the service's former fault; `duplicate` and `forge`, and what is wrong with a token, stand beside the others. */
  set(fault: Fault): Fault
  clear(): void
  list(): Fault[]
  /** The fault that meets the next request, counted down; without a mode, the one that spoils HTTP answers. */
  take(service: Service, mode?: SideMode): Fault | undefined
  peek(service: Service, mode?: SideMode): Fault | undefined
  /** Calls back after every change; answers a function that stops it. */
  onChange(listener: (change: FaultChange) => void): () => void
}

/** The faults that people and tests have set, held in memory. */
export function createFaults(): Faults {
  const slots = new Map<string, Fault>()
  const listeners = new Set<(change: FaultChange) => void>()
  const changed = (change: FaultChange) => {
    for (const listener of [...listeners]) listener(change)
  }
  return {
    set(fault) {
      slots.set(slotOf(fault.service, isSide(fault.mode) ? fault.mode : undefined), { ...fault })
      changed({ kind: 'set', service: fault.service })
      return fault
    },
    clear() {
      slots.clear()
      changed({ kind: 'cleared' })
    },
    list: () => [...slots.values()].map((fault) => ({ ...fault })),
    peek: (service, mode) => slots.get(slotOf(service, mode)),
    take(service, mode) {
      const slot = slotOf(service, mode)
      const fault = slots.get(slot)
      if (!fault) return undefined
      const taken = { ...fault }
      if (fault.times !== undefined && --fault.times === 0) {
        slots.delete(slot)
        changed({ kind: 'spent', service })
      }
      return taken
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

function slotOf(service: Service, mode?: SideMode): string {
  return mode ? `${service}:${mode}` : service
}

function isOneOf(modes: readonly Mode[], mode: Mode): boolean {
  return modes.includes(mode)
}

function isSide(mode: Mode): mode is SideMode {
  return isOneOf(deliveryModes, mode) || isOneOf(tokenModes, mode) || isOneOf(modelModes, mode)
}
