import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { keyedTable } from './keyed-table.ts'

export const earningStandings = keyedTable('earning_standings', ['scope', 'period', 'address'], {
  scope: text().notNull(),
  period: integer().notNull(),
  address: text().notNull(),
  units: integer().notNull(),
  part0: integer('part_0').notNull(),
  part1: integer('part_1').notNull(),
  part2: integer('part_2').notNull(),
  part3: integer('part_3').notNull(),
  part4: integer('part_4').notNull(),
  part5: integer('part_5').notNull(),
})

export const standingWindows = sqliteTable('standing_windows', {
  period: integer().primaryKey(),
  day: integer().notNull(),
  address: text().notNull(),
})

export const minerStandings = keyedTable('miner_standings', ['address', 'scope'], {
  address: text().notNull(),
  scope: text().notNull(),
  devices: integer().notNull().default(0),
  reputation: integer().notNull().default(0),
  asked: integer().notNull().default(0),
  answered: integer().notNull().default(0),
})

export const periodStandings = keyedTable('period_standings', ['address', 'scope', 'period'], {
  address: text().notNull(),
  scope: text().notNull(),
  period: integer().notNull(),
  devices: integer().notNull(),
  reputation: integer().notNull(),
  asked: integer().notNull(),
  answered: integer().notNull(),
  lastDay: integer('last_day').notNull(),
})

export const periodCounts = sqliteTable('period_counts', {
  projectId: text('project_id').primaryKey(),
  day: integer().notNull(),
})
