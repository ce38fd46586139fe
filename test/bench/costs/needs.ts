import { estimateMonth } from './estimate.ts'
import { type ProcessorTime, readMeanSeconds } from './processor-time.ts'
import { type AccountCount, assumptions, type Usage } from './usage.ts'

/** What a number of accounts needs in the busiest hour of a working day. */
export interface Needs {
  requestsPerSecond: number
  /** Processor cores that requests and jobs use up, on Node and in PostgreSQL. */
  nodeCores: number
  postgresCores: number
  /** Node processes, of which each has one core to run JavaScript on. */
  nodeProcesses: number
  /** Connections of these processes to PostgreSQL at most. */
  connections: number
  /** Gigabytes of rows and indexes. */
  storedGb: number
}

const secondsPerHour = 3600
// The default of POOL_SIZE, for each of the two roles.
const connectionsPerProcess = 2 * 10

/** Estimate the busiest hour. Messages of the queue are jobs on Node, and each costs as much as a write. */
export function estimateNeeds(usage: Usage, time: ProcessorTime, accounts: AccountCount): Needs {
  const {
    shiftsPerMonth,
    techniciansPerAccount,
    readsPerShift,
    streamHours,
    peakFactor,
    busyShare,
    monthsKept,
  } = assumptions
  const month = estimateMonth(usage, accounts)
  const peakPerSecond = (perMonth: number) =>
    (perMonth / shiftsPerMonth / streamHours / secondsPerHour) * peakFactor
  const reads = peakPerSecond(accounts * techniciansPerAccount * shiftsPerMonth * readsPerShift)
  const requests = peakPerSecond(month.requests)
  const writes = requests - reads + peakPerSecond(month.queueMessages)
  const countCores = (part: 'node' | 'postgres') => {
    const seconds = readMeanSeconds(time, part)
    return reads * seconds.read + writes * seconds.write
  }
  const nodeProcesses = Math.ceil(countCores('node') / busyShare)
  return {
    requestsPerSecond: requests,
    nodeCores: countCores('node'),
    postgresCores: countCores('postgres'),
    nodeProcesses,
    connections: nodeProcesses * connectionsPerProcess,
    storedGb: month.writtenGb * monthsKept,
  }
}
