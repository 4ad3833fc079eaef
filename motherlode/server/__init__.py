"""The table server. Importing it imports no Numba: starting it compiles nothing.

routes, websocket       what can be asked, over HTTP and over a table's socket; `wire` types every message
live_table              one table in memory; the only code that changes it, stored before shown
parlour                 all tables of one process; `peers` connects it with other processes on one PostgreSQL
messages                what a seat is told, from its view and its told log
storage                 all the SQL
bot_workers             processes in which bots and hints are computed; `fair_queue` says whose turn it is there
admin, housekeeping     for whoever runs it: tables and guests, bans, export and deletion, retention
serve, settings         starting it
"""
