import type { AnyOperation } from '../lib/http/operation.ts'
import { authOperations } from './auth/operations.ts'
import { notificationOperations } from './notifications/operations.ts'

/** Every operation of the service; a new group is one line. */
export const operations: readonly AnyOperation[] = [...authOperations, ...notificationOperations]
