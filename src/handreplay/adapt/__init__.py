"""Checks how well the shipped models read a property's own deck and chips, and fits what can be fitted to them.

    pictures + labels  ->  faces and stacks as the models read them  ->  what fits better on a held-out half  ->  report

Nothing is written into a profile, and no weights leave here, unless a half of the views that was not used for fitting
shows that they help.
"""
