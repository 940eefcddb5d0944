"""The sample sessions: one module an incident, its conversation in the TOML file of the same name.

Every module here that has no leading underscore is one; :mod:`sample_data.generate` finds them by themselves. It has
``SESSION``, ``INCIDENT``, ``ABOUT`` and ``record``.
"""
