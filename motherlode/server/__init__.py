"""The table server. Importing it imports no Numba: starting it compiles nothing.

routes, websocket       what can be asked, over HTTP and over a table's socket; `wire` types every message
live_table              one table in memory; the only code that changes it, stored before shown
sealing, seating, chat  parts of a table: what chance draws from, who has its seats, what is said
parlour, guests         all tables of one process, and who may come in; `peers` connects it with other processes
messages                what a seat is told, from its view and its told log
schema, queries         the database's tables and all the SQL; `storage` is the connection, with its one writer
damage, faults          when rows, or the database, cannot be trusted
connections, bodies     what is bounded before anything is asked; `middleware` checks every request
bot_workers             processes in which bots and hints are computed; `fair_queue` says whose turn it is there
admin, housekeeping     for whoever runs it: tables and guests, bans, export and deletion, retention
serve, settings         starting it
"""
